import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { expectOpenCanvasError, openCanvasCard, openCanvasClient, openCanvasToken } from '../support/opencanvas.js';
import type { Person } from '../support/world.js';

const NONE = '6650c3a2f1d2b3c4d5e6f7ff';
const app = useApp({ env: { OPENCANVAS_API: '/oc' } });
const { world } = app;
const { read, send } = openCanvasClient(app);
let ada: Person;
let bob: Person;

beforeAll(async () => {
  [ada, bob] = await world.people(2);
});
afterEach(async () => {
  expect(await differences(app.db)).toEqual([]);
});

describe('votes, saves and views', () => {
  it('toggle, with the words and statuses that the client compares', async () => {
    const { id: postId } = await world.post({ by: ada });
    const vote = async (value: string): Promise<unknown[]> => {
      const { status, body } = await send('POST', '/post/like-dislike', bob, { postId, vote: value });
      return [status, body.message];
    };
    const save = async (): Promise<unknown[]> => {
      const { status, body } = await send('POST', '/post/save-unsave', bob, { postId });
      return [status, body.message];
    };

    expect(await vote('like')).toEqual([201, 'Vote recorded']);
    expect(await vote('dislike')).toEqual([200, 'Vote switched']);
    expect(await save()).toEqual([201, 'Post saved']);
    expect((await read(`/post/${postId}/my-interactions`, bob)).body.data).toEqual({
      ...{ isLiked: false, isDisliked: true, isSaved: true },
    });
    expect(await vote('dislike')).toEqual([200, 'Vote removed']);
    expect(await save()).toEqual([200, 'Post unsaved']);
    expectOpenCanvasError(await send('POST', '/post/like-dislike', bob, { postId, vote: 'x' }), 400);
    expectOpenCanvasError(await send('POST', '/post/save-unsave', bob, { postId: NONE }), 404, 'Post not found');
    expectOpenCanvasError(await send('POST', '/post/save-unsave', undefined, { postId }), 401, 'Access token required');
  });

  it('are toggled in a row by a thousand clicks at once', async () => {
    const { id: postId } = await world.post({ by: ada });
    const people = await world.people(20);
    const tokens = await Promise.all(people.map(async (by) => (await openCanvasToken(app, by)).token));
    const click = async (token: string): Promise<string> => {
      const body = { postId, vote: 'like' };
      const answer = await app.patient.post('/oc/post/like-dislike', { token, body });
      return answer.body.message;
    };
    const messages: string[] = [];
    // Half of the readers click 49 times, the others 50 times.
    for (let round = 0; round < 5; round++) {
      const clicks = tokens.flatMap((token, at) =>
        Array.from({ length: round === 4 && at % 2 === 0 ? 9 : 10 }, () => token),
      );
      messages.push(...(await Promise.all(clicks.map(click))));
    }

    const count = (message: string): number => messages.filter((one) => one === message).length;
    expect([count('Vote recorded'), count('Vote removed')]).toEqual([10 * 25 + 10 * 25, 10 * 24 + 10 * 25]);
    const post = await read(`/u/posts/byids?ids=${postId}`);
    expect(post.body.data[0].stats.likesCount).toBe(10);
  });

  it('count a view once, and ignore X-Visitor-ID', async () => {
    const { id, slug } = await world.post({ by: ada });
    for (const visitor of ['a', 'b']) {
      const headers = { 'x-visitor-id': visitor };
      const answer = await app.client.patch(`/oc/update-post-views/${slug}`, { headers });
      expect([answer.status, answer.body]).toEqual([200, { success: true, message: 'View counted' }]);
    }

    expect((await read(`/u/posts/byids?ids=${id}`)).body.data[0].stats.viewsCount).toBe(1);
    expectOpenCanvasError(await send('PATCH', '/update-post-views/undefined'), 400, 'Invalid post URL');
    expectOpenCanvasError(await send('PATCH', `/update-post-views/x-${NONE}`), 404, 'Post not found');
  });
});

describe('comments', () => {
  it('are written, replied to, edited and deleted', async () => {
    const { id: postId } = await world.post({ by: ada });
    const first = await send('POST', '/new-comment', bob, { postId, content: 'Well said.' });
    const { _id } = first.body.data;
    const reply = await send('POST', '/reply-to-comment', ada, { postId, parentId: _id, content: 'Thanks.' });
    const deep = await send('POST', '/reply-to-comment', bob, { postId, parentId: reply.body.data._id, content: '!' });
    const shown = await read(`/p/comments/${_id}`);

    expect([first.status, first.body.data]).toEqual([
      201,
      {
        ...{ _id: expect.any(String), postId, parentId: null, content: 'Well said.', authorId: bob.id },
        authorSnapshot: { username: bob.username, profilePicture: '' },
        stats: { likesCount: 0, dislikesCount: 0, repliesCount: 0 },
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
      },
    ]);
    expect([reply.status, reply.body.data.parentId]).toEqual([201, _id]);
    expect(shown.body.data.comment).toMatchObject({ _id, stats: { repliesCount: 1 } });
    expect(shown.body.data.replies).toMatchObject([
      { _id: reply.body.data._id, parentId: _id },
      { _id: deep.body.data._id, parentId: _id },
    ]);
    expect((await send('PUT', '/edit-comment', bob, { commentId: _id, content: 'Edited' })).body.data.content).toBe(
      'Edited',
    );
    expectOpenCanvasError(await send('PUT', '/edit-comment', ada, { commentId: _id, content: 'x' }), 403);
    expectOpenCanvasError(await send('DELETE', '/delete-comment', await world.person(), { commentId: _id }), 403);
    expect((await send('DELETE', '/delete-comment', bob, { commentId: _id })).body.message).toBe('Comment deleted');
    expect((await read(`/p/${postId}/comments?page=1&limit=10`)).body).toMatchObject({
      ...{ success: true, page: 1, results: 1 },
      data: [{ _id, content: '[deleted]', authorId: '', authorSnapshot: { username: 'deleted', profilePicture: '' } }],
    });
  });

  it('have numbered pages, oldest first', async () => {
    const { id: postId } = await world.post({ by: ada });
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) ids.push((await world.comment({ by: bob, on: postId })).id);
    const page = async (number: number): Promise<string[]> =>
      (await read(`/p/${postId}/comments?page=${number}&limit=2`)).body.data.map(({ _id }: { _id: string }) => _id);

    expect([await page(1), await page(2), await page(3)]).toEqual([ids.slice(0, 2), ids.slice(2), []]);
    expect((await read(`/get-comments/byids?ids=${ids.join(',')}`)).body.results).toBe(3);
    expectOpenCanvasError(await read('/p/undefined/comments?page=1&limit=10'), 400);
    expectOpenCanvasError(await read(`/p/${NONE}/comments?page=1&limit=10`), 404, 'Post not found');
    expectOpenCanvasError(await read(`/p/comments/${NONE}`), 404, 'Comment not found');
    expectOpenCanvasError(
      await send('POST', '/new-comment', bob, { postId, content: ' ' }),
      ...([400, expect.any(String)] as const),
    );
  });
});

describe('collections', () => {
  it('are created, changed, filled, voted on and deleted', async () => {
    const { id: postId } = await world.post({ by: ada });
    const form = { title: 'Looms', description: 'Machines.', tags: ['Looms'], isPrivate: false };
    const created = await send('POST', '/create/collection', ada, form);
    const { _id } = created.body.data;
    const toggle = () => send('PUT', `/add-remove-post/${postId}/collection/${_id}`, ada);
    const vote = async (value: string): Promise<unknown[]> => {
      const { status, body } = await send('POST', `/collection/${_id}/vote`, bob, { vote: value });
      return [status, body.message];
    };

    expect([created.status, created.body.data]).toEqual([
      201,
      {
        ...{ _id: expect.any(String), title: 'Looms', description: 'Machines.', thumbnailUrl: '', isPrivate: false },
        ...{ tags: ['looms'], authorId: ada.id, posts: [] },
        stats: { likesCount: 0, dislikesCount: 0, viewsCount: 0 },
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
      },
    ]);
    expect((await toggle()).body).toMatchObject({ message: 'Post added to collection', data: { _id } });
    expect((await read(`/c/${_id}`)).body.data).toMatchObject({
      collection: { _id, posts: [postId] },
      posts: [openCanvasCard(ada, { _id: postId })],
    });
    expect((await read(`/u/${ada.id}/collections`, bob)).body.data).toMatchObject([{ _id, posts: [postId] }]);
    expect(await vote('like')).toEqual([201, 'Vote recorded']);
    expect(await vote('dislike')).toEqual([200, 'Vote switched']);
    expect(await vote('dislike')).toEqual([200, 'Vote removed']);
    expect((await toggle()).body.message).toBe('Post removed from collection');
    expect((await read('/collections?page=1&limit=10&search=x')).body).toMatchObject({
      page: 1,
      results: 1,
      data: [{ _id }],
    });
    expectOpenCanvasError(await send('PUT', `/update-collection/${_id}`, bob, { title: 'Mine' }), 403);
    const hidden = await send('PUT', `/update-collection/${_id}`, ada, { isPrivate: true });
    expect(hidden.body.data).toMatchObject({ title: 'Looms', isPrivate: true });
    expectOpenCanvasError(await read(`/c/${_id}`), 404, 'Collection not found');
    expect((await read(`/c/private/${_id}`, ada)).body.data.collection._id).toBe(_id);
    expect((await read(`/u/${ada.id}/collections`, bob)).body.data).toEqual([]);
    expect((await send('DELETE', `/delete-collection/${_id}`, ada)).body.message).toBe('Collection deleted');
    expectOpenCanvasError(await read(`/c/private/${_id}`, ada), 404, 'Collection not found');
    expectOpenCanvasError(await read('/c/undefined'), 400);
  });
});
