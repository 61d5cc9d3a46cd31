import { describeApi } from '../../src/api-document.js';
import { indexAll, useApp } from '../support/app.js';
import { operationsOf } from '../support/openapi.js';
import type { Person } from '../support/world.js';
import { drainActivity } from '../support/verbs.js';

const ROWS = 9;

type List = { path: string; token?: string; idOf: (row: any) => string };
/** The ids of a list as one page, and page by page. `next` is the cursor of the next page, or null after the last. */
type Walk = List & { expected: string[]; walked: string[]; next: string | null };

/** Each list of the API has nine rows of its own. Concurrent writes between two pages must not move them. */
describe('every list, read page by page during writes', () => {
  const app = useApp({ search: true, env: { MODERATION_LOG: 'public' } });
  const { world } = app;
  let owner: Person;
  let readers: Person[];
  let lists: Record<string, List[]>;
  let walks: Record<string, Walk[]>;

  const send = async (method: 'post' | 'put' | 'patch', path: string, { token }: Person, body: object = {}) => {
    const answer = await app.patient[method](path, { token, body, headers: { 'if-match': '*' } });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  beforeAll(async () => {
    [owner, ...readers] = await world.people(ROWS + 1, { fullName: 'Zuse Plankalkül' });
    const { token, username } = owner;
    const at = [...Array(ROWS).keys()];
    const posts: string[] = [];
    for (const n of at)
      posts.push((await world.post({ by: owner, title: `Walrus number ${n}`, tags: ['walruses'] })).id);
    const [first] = posts as [string];
    const comment = await world.comment({ by: owner, on: first });
    const draft = await send('post', '/v1/drafts', owner, { title: 'Draft' });
    for (const n of at) await send('patch', `/v1/drafts/${draft.id}`, owner, { content: `Text ${n}.` });
    const collection = await world.collection({ by: owner, posts, tags: ['walruses'] });
    for (const n of at) {
      const reader = readers[n]!;
      await world.comment({ by: reader, on: first });
      await world.comment({ by: reader, on: first, parentId: comment.id });
      await send('put', `/v1/users/${username}/follow`, reader);
      await send('put', `/v1/users/${reader.username}/follow`, owner);
      await send('put', `/v1/posts/${first}/vote`, reader, { value: 'like' });
      await send('put', `/v1/comments/${comment.id}/vote`, reader, { value: 'like' });
      await send('put', `/v1/posts/${posts[n]}/vote`, readers[0]!, { value: 'like' });
      await send('put', `/v1/posts/${posts[n]}/save`, readers[0]!);
      await send('put', `/v1/posts/${posts[n]}/hide`, readers[1]!);
      await send('put', `/v1/posts/${posts[n]}/watch`, readers[1]!, { level: 'watching' });
      await send('put', `/v1/users/${reader.username}/bell`, owner);
      await world.picture(owner);
      await world.editPost(first, { by: owner, content: `Text ${n}.` });
      await send('post', '/v1/drafts', owner, { title: `Draft ${n}` });
      const { id } = await world.collection({ by: owner, tags: ['walruses'] });
      await send('put', `/v1/collections/${id}/follow`, readers[0]!);
    }
    const moderators = await world.people(ROWS, { role: 'moderator' });
    for (const other of moderators)
      for (const kind of ['block', 'mute']) await send('put', `/v1/users/${other.username}/${kind}`, owner);
    const moderator = moderators[0];
    const admin = await world.person({ role: 'admin' });
    for (const n of at) await world.rule({ value: `walrus${n}` });
    for (const id of posts) {
      const lock = { kind: 'lock', targetKind: 'post', targetId: id, reasonCode: 'other', publicReason: 'Off topic.' };
      await send('post', '/v1/moderation/actions', moderator, lock);
      await world.report({ by: readers[2]!, on: id });
      const actionId = await world.moderate({ kind: 'warn', targetKind: 'user', targetId: owner.id });
      await world.appeal({ by: owner, actionId });
      await world.invite({ by: owner });
      await world.signUpThatWaits();
    }
    await drainActivity(app);
    await indexAll(app);
    const mine = { token, idOf: ({ id }: { id: string }) => id };
    const open = { idOf: mine.idOf };
    const followed = { idOf: ({ user, ...row }: any) => (user ?? row).username };
    lists = {
      listFeed: ['latest', 'hot', 'top'].map((sort) => ({ path: `/v1/feed?author=${username}&sort=${sort}`, ...open })),
      listFollowingFeed: [{ path: '/v1/feed/following', token: readers[0]!.token, idOf: mine.idOf }],
      listModerationActions: [
        { path: `/v1/admin/log?actorId=${moderator.id}`, token: moderator.token, idOf: mine.idOf },
      ],
      listPublicActions: [{ path: '/v1/moderation/log', ...open }],
      listMyModeration: [{ path: '/v1/users/me/moderation', ...mine }],
      listAppeals: [{ path: '/v1/moderation/appeals', token: moderator.token, idOf: ({ action }) => action.id }],
      listInvites: [{ path: '/v1/admin/invites', ...mine }],
      listRules: [{ path: '/v1/moderation/rules', token: admin.token, idOf: mine.idOf }],
      listSignUps: [{ path: '/v1/admin/sign-ups', token: moderator.token, idOf: mine.idOf }],
      listCases: ['weight', 'oldest'].map((sort) => ({
        path: `/v1/moderation/cases?kind=post&sort=${sort}`,
        token: moderator.token,
        idOf: mine.idOf,
      })),
      listAccounts: ['newest', 'oldest', 'username'].map((sort) => ({
        path: `/v1/admin/users?role=moderator&sort=${sort}`,
        token: moderator.token,
        idOf: mine.idOf,
      })),
      listNotifications: [{ path: '/v1/notifications', ...mine }],
      listMyMedia: [{ path: '/v1/media/mine', ...mine }],
      listMyPosts: [{ path: '/v1/posts/mine', ...mine }],
      listPostsByAuthor: [{ path: `/v1/users/${username}/posts`, ...open }],
      listPostRevisions: [{ path: `/v1/posts/${first}/revisions`, token, idOf: ({ version }) => String(version) }],
      listFollowers: [{ path: `/v1/users/${username}/followers`, ...followed }],
      listFollowing: [{ path: `/v1/users/${username}/following`, ...followed }],
      listBlocks: [{ path: '/v1/users/me/blocks', token, ...followed }],
      listMutes: [{ path: '/v1/users/me/mutes', token, ...followed }],
      listComments: ['top', 'newest', 'oldest'].map((sort) => ({
        path: `/v1/posts/${first}/comments?sort=${sort}`,
        ...open,
      })),
      listReplies: [{ path: `/v1/comments/${comment.id}/replies`, ...open }],
      listCollections: ['top', 'latest'].map((sort) => ({
        path: `/v1/collections?tag=walruses&sort=${sort}`,
        ...open,
      })),
      listCollectionPosts: [
        { path: `/v1/collections/${collection.id}/posts`, idOf: ({ post, ...row }) => (post ?? row).id },
      ],
      listMyCollections: [{ path: '/v1/users/me/collections', ...mine }],
      listCollectionsByUser: [{ path: `/v1/users/${username}/collections`, ...open }],
      listDrafts: [{ path: '/v1/drafts', ...mine }],
      listDraftVersions: [{ path: `/v1/drafts/${draft.id}/versions`, token, idOf: ({ version }) => String(version) }],
      listPostVotes: [{ path: `/v1/posts/${first}/votes`, ...followed }],
      listCommentVotes: [{ path: `/v1/comments/${comment.id}/votes`, ...followed }],
      listSaved: [
        { path: '/v1/users/me/saved', token: readers[0]!.token, idOf: ({ post, ...row }) => (post ?? row).id },
      ],
      listHidden: [{ path: '/v1/users/me/hidden', token: readers[1]!.token, idOf: mine.idOf }],
      listWatches: [
        { path: '/v1/users/me/watches', token: readers[1]!.token, idOf: ({ post, ...row }) => (post ?? row).id },
      ],
      listBells: [{ path: '/v1/users/me/bells', token, ...followed }],
      listLiked: [
        { path: '/v1/users/me/liked', token: readers[0]!.token, idOf: ({ post, ...row }) => (post ?? row).id },
      ],
      listFollowedCollections: [
        {
          path: '/v1/users/me/followed-collections',
          token: readers[0]!.token,
          idOf: ({ collectionId, ...row }) => collectionId ?? row.id,
        },
      ],
      searchAll: [
        ...['relevance', 'latest'].map((sort) => ({
          path: `/v1/search?q=walrus+number&kind=posts&sort=${sort}`,
          ...open,
        })),
        { path: '/v1/search?q=zuse&kind=users', ...open },
      ],
    };
  });

  // Advances every list by a page, then writes.
  beforeAll(async () => {
    walks = {};
    for (const [operation, own] of Object.entries(lists)) {
      const begun: Walk[] = [];
      for (const list of own) {
        const { ids: expected } = await page(list, 'limit=50');
        begun.push({ ...list, expected, walked: [], next: '' });
      }
      walks[operation] = begun;
    }
    for (let left = Object.values(walks).flat(); left.length > 0; left = left.filter(({ next }) => next !== null)) {
      for (const walk of left) {
        const { ids, next } = await page(walk, `limit=3${walk.next === '' ? '' : `&cursor=${walk.next}`}`);
        walk.walked.push(...ids);
        walk.next = next;
      }
      await writeElsewhere();
    }
  });

  it('includes every list of the document', async () => {
    const paged = operationsOf(await describeApi()).filter(({ parameters }) =>
      parameters.some(({ name }) => name === 'cursor'),
    );
    expect(Object.keys(lists).sort()).toEqual(paged.map(({ id }) => id).sort());
  });

  const page = async ({ path, token, idOf }: List, rest: string) => {
    const { status, body } = await app.patient.get(`${path}${path.includes('?') ? '&' : '?'}${rest}`, { token });
    expect([path, status]).toEqual([path, 200]);
    const { posts, users } = body.data;
    const rows: unknown[] = Array.isArray(body.data) ? body.data : [...posts, ...users];
    return { ids: rows.map(idOf), next: body.page.nextCursor as string | null };
  };

  /** Writes rows of other accounts, with other words, to the collections of every list. */
  const writeElsewhere = async () => {
    const [author, reader] = await world.people(2, { fullName: 'Someone Else' });
    const post = await world.post({ by: author, title: 'Something else entirely', tags: ['else'] });
    const comment = await world.comment({ by: author, on: post.id });
    await send('put', `/v1/posts/${post.id}/vote`, reader, { value: 'like' });
    await send('put', `/v1/comments/${comment.id}/vote`, reader, { value: 'like' });
    await send('put', `/v1/users/${author.username}/follow`, reader);
    await world.collection({ by: author, posts: [post.id], tags: ['else'] });
    await world.picture(author);
    await world.invite({ by: author });
    await send('post', '/v1/drafts', author, { title: 'Draft' });
    await indexAll(app);
  };

  const OPERATIONS = [
    'listFeed listFollowingFeed listNotifications listMyMedia listMyPosts listPostsByAuthor listPostRevisions listFollowers',
    'listFollowing listComments listReplies listCollections listCollectionPosts listMyCollections',
    'listCollectionsByUser listDrafts listDraftVersions listPostVotes listCommentVotes listSaved listHidden listLiked',
    'listFollowedCollections searchAll listModerationActions listAccounts listInvites listSignUps listBlocks listMutes listCases',
    'listPublicActions listMyModeration listAppeals listRules listWatches listBells',
  ].flatMap((names) => names.split(' '));

  it.each(OPERATIONS)('%s has each row once, in order', (operation) => {
    for (const { path, expected, walked } of walks[operation]!) {
      expect(expected.length).toBeGreaterThanOrEqual(ROWS - 1);
      expect([path, walked]).toEqual([path, expected]);
    }
  });
});
