import { randomUUID } from 'node:crypto';
import { STANDING_CHANGED } from '../../src/users/users.events.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import type { Answer } from '../support/client.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import type { Person } from '../support/world.js';

const app = useApp({ env: { CACHE_FEED_TTL_MS: '0' } });
const { world } = app;
let moderator: Person;
let reader: Person;

beforeAll(async () => {
  moderator = await world.person({ role: 'moderator' });
  reader = await world.person();
});
afterEach(async () => expect(await differences(app.db)).toEqual([]));

const act = (kind: string, target: object, headers = {}): Promise<Answer> => {
  const body = { kind, targetKind: 'user', reasonCode: 'spam', publicReason: 'An advertisement.', ...target };
  return app.client.post('/v1/moderation/actions', { token: moderator.token, body, headers });
};
const get = (path: string, by?: Person): Promise<Answer> => app.client.get(`/v1/${path}`, { token: by?.token });
const applied = () => runTasks(app, [STANDING_CHANGED]);

/** A person with a post, a comment on the post of another account, and a collection. */
async function writer() {
  const person = await world.person();
  const post = await world.post({ by: person });
  const unlisted = await world.post({ by: person, visibility: 'unlisted' });
  const thread = await world.post({ by: reader });
  const comment = await world.comment({ by: person, on: thread.id, content: 'Buy this.' });
  const collection = await world.collection({ by: person });
  await app.client.patch('/v1/users/me', { token: person.token, body: { bio: 'Buy this.' } });
  const { username } = person;
  /** Whether lists have the post, the text of the comment, and the collection. */
  const listed = async (): Promise<boolean[]> => {
    const [posts, comments, collections] = await Promise.all([
      get(`users/${username}/posts`),
      get(`posts/${thread.id}/comments`),
      get(`users/${username}/collections`),
    ]);
    const [shown] = comments.body.data;
    return [posts.body.data.length > 0, shown.content === 'Buy this.', collections.body.data.length > 0];
  };
  /** The responses to visitors at the addresses. */
  const statuses = async (): Promise<number[]> => {
    const paths = [`posts/${post.id}`, `posts/${unlisted.id}`, `collections/${collection.id}`];
    return (await Promise.all(paths.map((path) => get(path)))).map(({ status }) => status);
  };
  return { person, post, unlisted, comment, collection, listed, statuses };
}

const ALL = [true, true, true];
const NONE = [false, false, false];

describe('a restriction', () => {
  it.each([
    ['ban', [['ban', {}]], NONE],
    [
      'limit and ban in one moment',
      [
        ['limit', {}],
        ['ban', {}],
      ],
      NONE,
    ],
    [
      'ban and suspend in one moment',
      [
        ['ban', {}],
        ['suspend', {}],
      ],
      NONE,
    ],
    ['suspend', [['suspend', {}]], ALL],
    ['suspend with hideContent', [['suspend', { hideContent: true }]], NONE],
    [
      'limit and suspend that shows the content',
      [
        ['limit', {}],
        ['suspend', { hideContent: false }],
      ],
      ALL,
    ],
  ] as const)('%s hides as it says, and lift brings all back', async (_, steps, expected) => {
    const { person, listed, statuses } = await writer();

    for (const [kind, fields] of steps) expect((await act(kind, { targetId: person.id, ...fields })).status).toBe(201);
    await applied();
    const during = await listed();
    const open = await statuses();
    await act('lift', { targetId: person.id });
    await applied();

    expect([during, open]).toEqual([expected, [200, 200, 200]]);
    expect([await listed(), await statuses()]).toEqual([ALL, [200, 200, 200]]);
  });

  it('that ends at once while its task waits shows all', async () => {
    const { person, listed } = await writer();

    await act('ban', { targetId: person.id });
    await act('lift', { targetId: person.id });
    await applied();

    expect(await listed()).toEqual(ALL);
  });

  it('ban leaves the name of the profile alone, for visitors', async () => {
    const { person } = await writer();
    const bios = async () => {
      const [one, many] = [await get(`users/${person.username}`), await get(`users?ids=${person.id}`)];
      const { body } = await get(`admin/users/${person.id}`, moderator);
      return [one.body.bio, many.body.data[0].bio, body.bio];
    };

    await act('ban', { targetId: person.id });
    const during = await bios();
    await act('lift', { targetId: person.id });

    expect(during).toEqual(['', '', 'Buy this.']);
    expect(await bios()).toEqual(['Buy this.', 'Buy this.', 'Buy this.']);
  });
});

describe('a ban with removeEverything', () => {
  it('removes all content with one row of the log and closes the cases; lift restores all but earlier removals', async () => {
    const { person, post, unlisted, comment, collection, listed, statuses } = await writer();
    const removed = await world.post({ by: person });
    await world.moderate({ kind: 'remove', targetKind: 'post', targetId: removed.id });
    const caseIds = [
      await world.report({ by: reader, on: post.id }),
      await world.report({ by: reader, on: unlisted.id }),
    ];
    const row = await app.db.collection('moderation_actions').countDocuments({ ownerId: person._id });

    const ban = await act('ban', { targetId: person.id, removeEverything: true });
    await applied();
    const gone = [await listed(), await statuses()];
    const rows = await app.db.collection('moderation_actions').countDocuments({ ownerId: person._id });
    const outcomes = caseIds.map(async (id) => (await get(`moderation/cases/${id}`, moderator)).body.outcome);
    const { body } = await get(`posts/${post.id}`, moderator);
    const lift = await act('lift', { targetId: person.id });
    await applied();

    expect(gone).toEqual([NONE, [404, 404, 404]]);
    expect([rows - row, ban.body.detail]).toEqual([1, 'removes everything']);
    expect(await Promise.all(outcomes)).toEqual(['acted', 'acted']);
    expect(body.removal).toMatchObject({ actionId: ban.body.id, reason: 'An advertisement.' });
    expect(lift.body.reverses).toBe(ban.body.id);
    expect([await listed(), await statuses()]).toEqual([ALL, [200, 200, 200]]);
    expect((await get(`comments/${comment.id}`)).body.content).toBe('Buy this.');
    expect((await get(`collections/${collection.id}`)).body.removal).toBeUndefined();
    expect((await get(`posts/${removed.id}`)).status).toBe(404);
  });

  it('can follow a ban without it, and its end restores the content', async () => {
    const { person, statuses } = await writer();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await act('ban', { targetId: person.id, until });
    expect((await act('ban', { targetId: person.id, until, removeEverything: true })).status).toBe(201);
    await applied();
    const during = await statuses();

    const past = { $set: { 'standing.until': new Date(Date.now() - 1) } };
    await app.db.collection('users').updateOne({ _id: person._id }, past);
    await app.db.collection('tasks').updateMany({ topic: STANDING_CHANGED.name }, { $set: { runAt: new Date(0) } });
    await applied();

    expect([during, await statuses()]).toEqual([
      [404, 404, 404],
      [200, 200, 200],
    ]);
  });

  it('is only for restrictions, as hideContent is for suspensions', async () => {
    const { id } = await world.person();
    expectProblem(await act('warn', { targetId: id, removeEverything: true }), 400, 'invalid_input');
    expectProblem(await act('ban', { targetId: id, hideContent: true }), 400, 'invalid_input');
  });
});

describe('an action on many targets', () => {
  it('acts on each that it can, and says why not on the others', async () => {
    const people = await world.people(3);
    const colleague = await world.person({ role: 'moderator' });
    await act('ban', { targetId: people[2].id });
    const targetIds = [...people, colleague].map(({ id }) => id);

    const { status, body } = await act('ban', { targetIds });

    expect([status, body.data.map(({ targetId }: { targetId: string }) => targetId)]).toEqual([200, targetIds]);
    expect(body.data.map(({ code }: { code: string }) => code)).toEqual([
      ...[null, null, 'standing_unchanged', 'forbidden'],
    ]);
    expect(body.data[0].action).toMatchObject({ kind: 'ban', targetId: people[0].id });
    for (const { username } of people.slice(0, 2))
      expect((await get(`admin/users?q=${username}`, moderator)).body.data[0].standing.level).toBe('banned');
  });

  it('acts once for one Idempotency-Key', async () => {
    const targetIds = (await world.people(2)).map(({ id }) => id);
    const headers = { 'idempotency-key': randomUUID() };

    const first = await act('warn', { targetIds }, headers);
    const again = await act('warn', { targetIds }, headers);

    expect(again.body).toEqual(first.body);
    expect(first.body.data).toHaveLength(2);
    expect((await get(`admin/log?targetId=${targetIds[0]}`, moderator)).body.data).toHaveLength(1);
  });

  it('accepts 1 to 100 targets, without targetId and caseId', async () => {
    const [{ id }, ids] = [await world.person(), (count: number) => Array.from({ length: count }, hex)];
    expect((await act('warn', { targetIds: ids(100) })).body.data[99].code).toBe('user_not_found');
    for (const target of [
      {},
      { targetIds: [] },
      { targetIds: ids(101) },
      { targetIds: [id, id] },
      { targetId: id, targetIds: [id] },
      { targetIds: [id], caseId: `user-${id}` },
    ])
      expectProblem(await act('warn', target), 400, 'invalid_input');
  });
});

const hex = () => randomUUID().replaceAll('-', '').slice(0, 24);
