import { describeApi } from '../../src/api-document.js';
import { TagCountsJob } from '../../src/tags/tag-counts.job.js';
import { WriterListsJob } from '../../src/views/writer-lists.job.js';
import { indexAll, useApp } from '../support/app.js';
import { operationsOf } from '../support/openapi.js';
import type { Person } from '../support/world.js';
import { drainActivity } from '../support/verbs.js';

const ROWS = 9;
const PAGED = operationsOf(await describeApi()).filter(({ parameters }) =>
  parameters.some(({ name }) => name === 'cursor'),
);

/** A list is read by the owner, or by the account of the token. */
type Own = { query?: string; token?: string };
type List = { path: string; token?: string | undefined };
/** The ids of a list as one page, and page by page. `next` is the cursor of the next page, or null after the last. */
type Walk = List & { expected: string[]; walked: string[]; next: string | null };

/** Each list of the document has nine rows of its own. Concurrent writes between two pages must not move them. */
describe('every list, read page by page during writes', () => {
  const app = useApp({ search: true, env: { MODERATION_LOG: 'public' } });
  const { world } = app;
  let owner: Person;
  let readers: Person[];
  let lists: Record<string, List[]>;
  let walks: Record<string, Walk[]>;

  const write = async (method: 'post' | 'put' | 'patch', path: string, { token }: Person, body: object = {}) => {
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
      posts.push((await world.post({ by: owner, title: `Walrus number ${n}`, tags: ['walruses', `walrus-${n}`] })).id);
    const [first] = posts as [string];
    const comment = await world.comment({ by: owner, on: first });
    const draft = await write('post', '/v1/drafts', owner, { title: 'Draft' });
    for (const n of at) await write('patch', `/v1/drafts/${draft.id}`, owner, { content: `Text ${n}.` });
    const webhook = await world.webhook({ by: owner });
    for (let ping = 0; ping < ROWS; ping++) await write('post', `/v1/webhooks/${webhook.id}/ping`, owner);
    const collection = await world.collection({ by: owner, posts, tags: ['walruses'] });
    for (const n of at) {
      const reader = readers[n]!;
      await world.post({ by: reader, title: 'For others', tags: ['others'] });
      await world.comment({ by: reader, on: first });
      await world.comment({ by: owner, on: first });
      await world.comment({ by: reader, on: first, parentId: comment.id });
      await write('put', `/v1/users/${username}/follow`, reader);
      await write('put', `/v1/users/${reader.username}/follow`, owner);
      await write('put', `/v1/posts/${first}/vote`, reader, { value: 'like' });
      await write('put', `/v1/comments/${comment.id}/vote`, reader, { value: 'like' });
      await write('put', `/v1/posts/${posts[n]}/vote`, readers[0]!, { value: 'like' });
      await write('put', `/v1/posts/${posts[n]}/save`, readers[0]!);
      await write('put', `/v1/posts/${posts[n]}/hide`, readers[1]!);
      await write('put', `/v1/posts/${posts[n]}/watch`, readers[1]!, { level: 'watching' });
      await write('put', `/v1/users/${reader.username}/bell`, owner);
      await world.picture(owner);
      await world.editPost(first, { by: owner, content: `Text ${n}.` });
      await write('post', '/v1/drafts', owner, { title: `Draft ${n}` });
      const { id } = await world.collection({ by: owner, tags: ['walruses'] });
      await write('put', `/v1/collections/${id}/follow`, readers[0]!);
    }
    const moderators = await world.people(ROWS, { role: 'moderator' });
    for (const other of moderators)
      for (const kind of ['block', 'mute']) await write('put', `/v1/users/${other.username}/${kind}`, owner);
    const moderator = moderators[0];
    const admin = await world.person({ role: 'admin' });
    for (const n of at) await world.rule({ value: `walrus${n}` });
    for (const id of posts) {
      const lock = { kind: 'lock', targetKind: 'post', targetId: id, reasonCode: 'other', publicReason: 'Off topic.' };
      await write('post', '/v1/moderation/actions', moderator, lock);
      await world.report({ by: readers[2]!, on: id });
      const actionId = await world.moderate({ kind: 'warn', targetKind: 'user', targetId: owner.id });
      await world.appeal({ by: owner, actionId });
      await world.invite({ by: owner });
      await world.signUpThatWaits();
    }
    await drainActivity(app);
    await indexAll(app);
    for (const job of [TagCountsJob, WriterListsJob]) await app.app.get(job).run(new AbortController().signal);
    const tokens = { user: token, moderator: moderator.token, admin: admin.token };
    const [reader, hider] = readers.map((one) => ({ token: one.token })) as [Own, Own];
    const byModerator = { token: moderator.token };
    // Lists with a sort order, a filter, or rows of another account than the owner's.
    const own: Record<string, Own[]> = {
      listFeed: ['latest', 'hot', 'top'].map((sort) => ({ query: `author=${username}&sort=${sort}` })),
      listMyPosts: ['newest', 'oldest'].map((sort) => ({ query: `tag=walruses&visibility=public&sort=${sort}` })),
      listFollowingFeed: [reader],
      listForYou: [{ token: readers[3]!.token }],
      listModerationActions: [{ ...byModerator, query: `actorId=${moderator.id}` }],
      listCases: ['weight', 'oldest'].map((sort) => ({ ...byModerator, query: `kind=post&sort=${sort}` })),
      listAccounts: ['newest', 'oldest', 'username'].map((sort) => ({
        ...byModerator,
        query: `role=moderator&sort=${sort}`,
      })),
      listModeratedComments: [{ ...byModerator, query: `authorId=${owner.id}&state=visible` }],
      listTopWriters: [{ query: 'window=week' }],
      listTags: ['popular', 'name'].map((sort) => ({ query: `sort=${sort}&prefix=walrus-` })),
      listComments: ['top', 'newest', 'oldest'].map((sort) => ({ query: `sort=${sort}` })),
      listCollections: ['top', 'latest'].map((sort) => ({ query: `tag=walruses&sort=${sort}` })),
      listSaved: [reader],
      listHidden: [hider],
      listWatches: [hider],
      listLiked: [reader],
      listFollowedCollections: [reader],
      searchAll: [
        ...['relevance', 'latest'].map((sort) => ({ query: `q=walrus+number&kind=posts&sort=${sort}` })),
        { query: 'q=zuse&kind=users' },
      ],
    };
    const ids: Record<string, string> = {
      users: username,
      posts: first,
      comments: comment.id,
      collections: collection.id,
      drafts: draft.id,
      webhooks: webhook.id,
    };
    lists = Object.fromEntries(
      PAGED.map(({ id, path, access, role }) => {
        const named = path.replace(/\/(\w+)\/\{\w+\}/, (_, noun: string) => `/${noun}/${ids[noun]}`);
        const token = access === 'public' ? undefined : tokens[role];
        return [id, (own[id] ?? [{}]).map(({ query = '', ...by }) => ({ path: `${named}?${query}`, token, ...by }))];
      }),
    );
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

  const page = async ({ path, token }: List, rest: string) => {
    const { status, body } = await app.patient.get(`${path}&${rest}`, { token });
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
    await write('put', `/v1/posts/${post.id}/vote`, reader, { value: 'like' });
    await write('put', `/v1/comments/${comment.id}/vote`, reader, { value: 'like' });
    await write('put', `/v1/users/${author.username}/follow`, reader);
    await world.collection({ by: author, posts: [post.id], tags: ['else'] });
    await world.picture(author);
    await world.invite({ by: author });
    await write('post', '/v1/drafts', author, { title: 'Draft' });
    await indexAll(app);
  };

  it.each(PAGED.map(({ id }) => id))('%s has each row once, in order', (operation) => {
    for (const { path, expected, walked } of walks[operation]!) {
      expect(new Set(expected).size).toBeGreaterThanOrEqual(ROWS - 1);
      expect(new Set(expected).size).toBe(expected.length);
      expect([path, walked]).toEqual([path, expected]);
    }
  });
});

const idOf = ({ id, tag, user, post, action, collectionId, version }: any): string =>
  id ?? tag ?? user?.username ?? post?.id ?? action?.id ?? collectionId ?? String(version);
