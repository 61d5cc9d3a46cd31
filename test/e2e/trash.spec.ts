import { ObjectId } from 'mongodb';
import { DRAFT_EXPIRED, DRAFT_REMOVED } from '../../src/drafts/drafts.events.js';
import { MAX_DRAFTS } from '../../src/drafts/drafts.service.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import type { Person } from '../support/world.js';

const TEXT = { title: 'Notes', content: 'It weaves *patterns*.', type: 'poem', tags: ['looms'] };

describe('the trash of an author', () => {
  const app = useApp({ env: { CACHE_FEED_TTL_MS: '0' } });
  const { world } = app;
  let author: Person;

  const send = (method: string, path: string, body?: object, by: Person = author) =>
    app.client.request(method, path, { token: by.token, body });
  const trash = async (by: Person = author) => (await send('GET', '/v1/drafts?state=trashed', undefined, by)).body.data;
  const deleted = async (fields: object = {}): Promise<{ id: string; postId: string }> => {
    const { status, body } = await send('POST', '/v1/posts', { ...TEXT, ...fields });
    expect(status).toBe(201);
    expect((await send('DELETE', `/v1/posts/${body.id}`)).status).toBe(204);
    return { id: (await trash())[0].id, postId: body.id };
  };

  beforeEach(async () => {
    author = await world.person();
  });

  it('has the text of a deleted post, which no list of drafts has', async () => {
    const { id } = await deleted();
    const [card, ...others] = await trash();
    expect(others).toEqual([]);
    expect(card).toMatchObject({ id, state: 'trashed', title: 'Notes', type: 'poem', tags: ['looms'], postId: null });
    expect((await send('GET', `/v1/drafts/${id}`)).body.content).toBe(TEXT.content);
    expect((await send('GET', '/v1/drafts')).body.data).toEqual([]);
  });

  it('lists deleted posts, the last deleted first, in full pages', async () => {
    for (const title of ['First', 'Second', 'Third']) await deleted({ title });
    const { body: page } = await send('GET', '/v1/drafts?state=trashed&limit=2');
    const cursor = encodeURIComponent(page.page.nextCursor);
    const { body: rest } = await send('GET', `/v1/drafts?state=trashed&limit=2&cursor=${cursor}`);
    const titles = [...page.data, ...rest.data].map(({ title }: { title: string }) => title);
    expect(titles).toEqual(['Third', 'Second', 'First']);
    expectProblem(await send('GET', `/v1/drafts?cursor=${cursor}`), 400, 'invalid_cursor');
    expectProblem(await send('GET', '/v1/drafts?state=open'), 400, 'invalid_input');
  });

  it.each(['public', 'unlisted', 'private'])(
    'restores a %s post as a new post with that visibility',
    async (visibility) => {
      const { id, postId } = await deleted({ visibility });
      const { status, body, headers } = await send('POST', `/v1/drafts/${id}/restore`);
      expect([status, body.visibility, body.content]).toEqual([201, visibility, TEXT.content]);
      expect(body.id).not.toBe(postId);
      expect(headers.get('location')).toBe(`/v1/posts/${body.slug}`);
      expect(await trash()).toEqual([]);
      expectProblem(await send('POST', `/v1/drafts/${id}/restore`), 404, 'draft_not_found');
      expectProblem(await send('GET', `/v1/posts/${postId}`), 404, 'post_not_found');
      expect((await send('GET', `/v1/users/${author.username}`)).body.stats.postsCount).toBe(
        visibility === 'public' ? 1 : 0,
      );
      expect(await differences(app.db)).toEqual([]);
    },
  );

  it('restores a post once for concurrent requests', async () => {
    const { id } = await deleted();
    const answers = await Promise.all([1, 2, 3].map(() => send('POST', `/v1/drafts/${id}/restore`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await send('GET', '/v1/posts/mine')).body.data).toHaveLength(1);
  });

  it('cannot be saved, published, scheduled or shared', async () => {
    const { id } = await deleted();
    const publishAt = new Date(Date.now() + 3_600_000).toISOString();
    const saved = await app.client.patch(`/v1/drafts/${id}`, {
      token: author.token,
      body: { title: 'Other' },
      headers: { 'if-match': '*' },
    });
    const answers = [
      saved,
      await send('POST', `/v1/drafts/${id}/publish`),
      await send('PUT', `/v1/drafts/${id}/schedule`, { publishAt }),
      await send('DELETE', `/v1/drafts/${id}/schedule`),
      await send('PUT', `/v1/drafts/${id}/share`),
      await send('DELETE', `/v1/drafts/${id}/share`),
      await send('GET', `/v1/drafts/${id}/versions`),
    ];
    for (const answer of answers) expectProblem(answer, 404, 'draft_not_found');
  });

  it('restores no draft that was not deleted', async () => {
    const { id } = (await send('POST', '/v1/drafts', TEXT)).body;
    expectProblem(await send('POST', `/v1/drafts/${id}/restore`), 404, 'draft_not_found');
  });

  it('loses a post that is deleted from it', async () => {
    const { id } = await deleted();
    expect((await send('DELETE', `/v1/drafts/${id}`)).status).toBe(204);
    expect(await trash()).toEqual([]);
  });

  it('loses a post after 30 days, with its references to images', async () => {
    const picture = await world.picture(author);
    const { id } = await deleted({ content: `![A loom](/v1/media/files/${picture.mediaKey})` });
    const _id = new ObjectId(id);
    const held = () => app.db.collection('media_refs').countDocuments({ holderId: _id });
    expect(await held()).toBe(1);
    const task = await app.db.collection('tasks').findOne({ topic: DRAFT_EXPIRED.name, payload: _id });
    const days = (task!['runAt'].getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    await app.db.collection('tasks').updateOne({ _id: task!._id }, { $set: { runAt: new Date(0) } });
    await runTasks(app, [DRAFT_EXPIRED]);
    expect(await trash()).toEqual([]);
    await app.db.collection('tasks').updateMany({ topic: DRAFT_REMOVED.name }, { $set: { runAt: new Date(0) } });
    await runTasks(app, [DRAFT_REMOVED]);
    expect(await held()).toBe(0);
  });

  it('has no post that a moderator removed', async () => {
    const { body } = await send('POST', '/v1/posts', TEXT);
    await world.moderate({ kind: 'remove', targetKind: 'post', targetId: body.id });
    expect((await send('DELETE', `/v1/posts/${body.id}`)).status).toBe(204);
    expect(await trash()).toEqual([]);
  });

  it('is bounded: the post that was deleted first makes room, and drafts are counted apart', async () => {
    const first = await deleted({ title: 'First' });
    const row = await app.db.collection('drafts').findOne({ _id: new ObjectId(first.id) });
    const later = (at: number) => new Date(row!['updatedAt'].getTime() + at);
    const rows = Array.from({ length: MAX_DRAFTS - 1 }, (_, at) => ({
      ...row,
      _id: new ObjectId(),
      updatedAt: later(at + 1),
    }));
    await app.db.collection('drafts').insertMany(rows);
    await deleted({ title: 'Last' });
    const own = { authorId: author._id, state: 'trashed' };
    expect(await app.db.collection('drafts').countDocuments(own)).toBe(MAX_DRAFTS);
    expectProblem(await send('GET', `/v1/drafts/${first.id}`), 404, 'draft_not_found');
    expect((await send('POST', '/v1/drafts', TEXT)).status).toBe(201);
  });
});
