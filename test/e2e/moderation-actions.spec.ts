import { randomUUID } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { startApp, useApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import { expectProblem } from '../support/problem.js';
import type { Person, PersonWithPassword } from '../support/world.js';
import { drainActivity, verbsOf } from '../support/verbs.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
const { world } = app;
const YEAR = '2099-12-31T00:00:00.000Z';
let author: Person;
let moderator: Person;
let colleague: Person;
let admin: Person;

beforeAll(async () => {
  author = await world.person();
  [moderator, colleague] = await world.people(2, { role: 'moderator' });
  admin = await world.person({ role: 'admin' });
});

const { send, act } = verbsOf(app);
/** Signs in again, because a restriction ends the sessions. */
const renewed = async ({ password, ...account }: PersonWithPassword): Promise<Person> => {
  const { body } = await app.client.post('/v1/auth/login', { body: { login: account.username, password } });
  return { ...account, token: body.accessToken };
};
const own = async (by: Person) => (await send(by, 'GET', 'users/me/moderation')).body.data;
const logOf = async (targetId: string) => (await send(moderator, 'GET', `admin/log?targetId=${targetId}`)).body.data;
const statusOf = async (path: string, by?: Person) =>
  (await app.client.get(`/v1/${path}`, { token: by?.token })).status;
const count = (collection: string) => app.db.collection(collection).countDocuments();

describe('an action on content', () => {
  it('removes a post and restores it, each with a row of the log', async () => {
    const post = await world.post({ by: author });

    const removed = await act(moderator, 'remove', 'post', post.id, { privateNote: 'Third time.' });
    const [reader, visitor] = [await world.person(), undefined];
    const hidden = [await statusOf(`posts/${post.id}`, reader), await statusOf(`posts/${post.id}`, visitor)];
    const shown = [await statusOf(`posts/${post.id}`, author), await statusOf(`posts/${post.id}`, moderator)];
    const restored = await act(colleague, 'restore', 'post', post.id, { reasonCode: 'other', publicReason: 'Sorry.' });

    expect(removed.status).toBe(201);
    expect(removed.body).toEqual({
      ...{ id: expect.any(String), actorId: moderator.id, actorRole: 'moderator', kind: 'remove', detail: null },
      ...{ targetKind: 'post', targetId: post.id, ownerId: author.id, reasonCode: 'spam', until: null, caseId: null },
      ...{
        publicReason: 'An advertisement.',
        privateNote: 'Third time.',
        reverses: null,
        createdAt: expect.any(String),
      },
    });
    expect([hidden, shown]).toEqual([
      [404, 404],
      [200, 200],
    ]);
    expect(restored.body).toMatchObject({ kind: 'restore', reverses: removed.body.id, actorId: colleague.id });
    expect(await statusOf(`posts/${post.id}`)).toBe(200);
    expect(await logOf(post.id)).toEqual([restored.body, removed.body]);
  });

  it('removes a comment, whose text its author can read, and restores it', async () => {
    const post = await world.post({ by: moderator });
    const comment = await world.comment({ by: author, on: post.id, content: 'Buy this.' });
    const contentFor = async (by?: Person) =>
      (await app.client.get(`/v1/comments/${comment.id}`, { token: by?.token })).body.content;

    expect((await act(moderator, 'remove', 'comment', comment.id)).status).toBe(201);
    expect([await contentFor(author), await contentFor(await world.person())]).toEqual(['Buy this.', null]);
    expect((await act(moderator, 'restore', 'comment', comment.id)).status).toBe(201);
    expect(await contentFor()).toBe('Buy this.');
  });

  it('locks a post and unlocks it', async () => {
    const post = await world.post({ by: author });
    const comment = () => send(author, 'POST', `posts/${post.id}/comments`, { content: 'Well said.' });

    const locked = await act(moderator, 'lock', 'post', post.id);
    expectProblem(await comment(), 409, 'post_locked');
    const unlocked = await act(moderator, 'unlock', 'post', post.id);

    expect([locked.status, unlocked.status, (await comment()).status]).toEqual([201, 201, 201]);
    expect(unlocked.body.reverses).toBe(locked.body.id);
  });
});

describe('an action on an account', () => {
  it('warns without an effect, any number of times', async () => {
    const account = await world.person();

    for (let times = 0; times < 2; times++) expect((await act(moderator, 'warn', 'user', account.id)).status).toBe(201);

    expect((await app.db.collection('users').findOne({ _id: account._id }))?.['standing'] ?? null).toBeNull();
    expect((await own(account)).map(({ kind }: { kind: string }) => kind)).toEqual(['warn', 'warn']);
  });

  it.each([
    ['limit', 'limited'],
    ['suspend', 'suspended'],
    ['ban', 'banned'],
  ])('%s sets the standing with its end, and lift ends it', async (kind, level) => {
    const account = await world.person();
    const standing = async () => (await app.db.collection('users').findOne({ _id: account._id }))!['standing'] ?? null;

    const { status, body } = await act(moderator, kind, 'user', account.id, { until: YEAR });
    const set = await standing();
    const lifted = await act(moderator, 'lift', 'user', account.id);

    expect([status, body.until]).toEqual([201, YEAR]);
    expect(set).toMatchObject({ level, until: new Date(YEAR), actionId: new ObjectId(body.id as string) });
    expect(lifted.body).toMatchObject({ kind: 'lift', reverses: body.id });
    expect(await standing()).toBeNull();
  });

  it('replaces a restriction with another one, or with another end', async () => {
    const account = await world.person();

    const first = await act(moderator, 'suspend', 'user', account.id);
    const longer = await act(moderator, 'suspend', 'user', account.id, { until: YEAR });
    const ban = await act(moderator, 'ban', 'user', account.id);
    const lift = await act(moderator, 'lift', 'user', account.id);

    expect([first, longer, ban, lift].map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(lift.body.reverses).toBe(ban.body.id);
  });

  it('can follow a restriction that has expired', async () => {
    const account = await world.person();
    await act(moderator, 'suspend', 'user', account.id, { until: YEAR });
    const expired = { $set: { 'standing.until': new Date(Date.now() - 1) } };
    await app.db.collection('users').updateOne({ _id: account._id }, expired);

    expectProblem(await act(moderator, 'lift', 'user', account.id), 409, 'standing_unchanged');
    expect((await act(moderator, 'suspend', 'user', account.id)).status).toBe(201);
  });
});

describe('an action', () => {
  it('is refused to a moderator about own content, the own account, and accounts with the same or a higher role', async () => {
    const mine = await world.post({ by: moderator });
    const ofColleague = await world.post({ by: colleague });
    const before = await count('moderation_actions');

    for (const [kind, id] of [
      ['post', mine.id],
      ['user', moderator.id],
      ['post', ofColleague.id],
      ['user', colleague.id],
      ['user', admin.id],
    ] as const)
      expectProblem(await act(moderator, kind === 'post' ? 'remove' : 'warn', kind, id), 403, 'forbidden');
    expectProblem(await act(admin, 'warn', 'user', (await world.person({ role: 'admin' })).id), 403, 'forbidden');
    expect(await count('moderation_actions')).toBe(before);
    expect((await act(admin, 'remove', 'post', ofColleague.id)).status).toBe(201);
  });

  it('is not found on deleted targets', async () => {
    const post = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: (await world.post({ by: author })).id });
    await world.deletePost(post.id, { by: author });
    await send(author, 'DELETE', `comments/${comment.id}`);
    const none = new ObjectId().toHexString();

    expectProblem(await act(moderator, 'remove', 'post', post.id), 404, 'post_not_found');
    expectProblem(await act(moderator, 'lock', 'post', post.id), 404, 'post_not_found');
    expectProblem(await act(moderator, 'remove', 'comment', comment.id), 404, 'comment_not_found');
    expectProblem(await act(moderator, 'remove', 'comment', none), 404, 'comment_not_found');
    expectProblem(await act(moderator, 'warn', 'user', none), 404, 'user_not_found');
  });

  it('that would change nothing is refused and writes nothing', async () => {
    const account = await world.person();
    const post = await world.post({ by: account });
    const again = async (kind: string, targetKind: string, targetId: string, code: string) => {
      const before = await count('moderation_actions');
      expectProblem(await act(moderator, kind, targetKind, targetId, {}), 409, code);
      expect(await count('moderation_actions')).toBe(before);
    };

    await again('restore', 'post', post.id, 'not_removed');
    await again('unlock', 'post', post.id, 'post_not_locked');
    await again('lift', 'user', account.id, 'standing_unchanged');
    await act(moderator, 'lock', 'post', post.id);
    await again('lock', 'post', post.id, 'post_locked');
    await act(moderator, 'remove', 'post', post.id);
    await again('remove', 'post', post.id, 'already_removed');
    await act(moderator, 'suspend', 'user', account.id);
    await again('suspend', 'user', account.id, 'standing_unchanged');
  });

  it('accepts only the targets and the end that its kind has', async () => {
    const post = await world.post({ by: author });
    const fieldsOf = ({ body }: Answer): string[] => body.errors.map(({ field }: { field: string }) => field);

    const wrong = [
      await act(moderator, 'ban', 'post', post.id),
      await act(moderator, 'lock', 'user', author.id),
      await act(moderator, 'warn', 'user', author.id, { until: YEAR }),
      await act(moderator, 'suspend', 'user', author.id, { until: '2020-01-01T00:00:00Z' }),
      await act(moderator, 'remove', 'post', post.id, { publicReason: ' ' }),
      await act(moderator, 'remove', 'post', post.id, { publicReason: 'x'.repeat(501) }),
      await act(moderator, 'remove', 'post', post.id, { privateNote: 'x'.repeat(2_001) }),
    ];

    expect(wrong.map(({ status }) => status)).toEqual(wrong.map(() => 400));
    const field = ['targetKind', 'targetKind', 'until', 'until', 'publicReason', 'publicReason', 'privateNote'];
    expect(wrong.flatMap(fieldsOf)).toEqual(field);
  });

  it('is performed once with an idempotency key', async () => {
    const account = await world.person();
    const headers = { 'idempotency-key': randomUUID() };

    const [first, second] = [
      await act(moderator, 'warn', 'user', account.id, {}, headers),
      await act(moderator, 'warn', 'user', account.id, {}, headers),
    ];

    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await own(account)).toHaveLength(1);
  });

  it('of two moderators at once changes the target once', async () => {
    const post = await world.post({ by: author });

    const answers = await Promise.all([moderator, colleague].map((by) => act(by, 'remove', 'post', post.id)));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await logOf(post.id)).toHaveLength(1);
  });

  it('notifies the affected account', async () => {
    const account = await world.person();
    const post = await world.post({ by: account });
    const { body: action } = await act(moderator, 'remove', 'post', post.id);
    await drainActivity(app);

    const { data, unread } = (await send(account, 'GET', 'notifications?kind=moderation')).body;

    expect([data.length, unread.count]).toEqual([1, 1]);
    expect(data[0]).toMatchObject({ kind: 'moderation', post: null, actors: [], actorsCount: 0 });
    expect(data[0].action).toEqual({
      ...{ id: action.id, kind: 'remove', targetKind: 'post', targetId: post.id },
      ...{ publicReason: 'An advertisement.', until: null },
    });
  });
});

describe('the case of a target', () => {
  const reported = async () => {
    const owner = await world.person();
    const post = await world.post({ by: owner });
    return { owner, post, id: await world.report({ by: await world.person(), on: post.id }) };
  };
  const caseOf = async (id: string) => (await send(moderator, 'GET', `moderation/cases/${id}`)).body;

  it('closes with an action on the target, and shows the actions on it and on its author', async () => {
    const { owner, post, id } = await reported();
    const warned = await act(colleague, 'warn', 'user', owner.id);
    await send(moderator, 'PUT', `moderation/cases/${id}/claim`);

    const removed = await act(moderator, 'remove', 'post', post.id);

    expect([warned.body.caseId, removed.body.caseId]).toEqual([null, id]);
    const found = await caseOf(id);
    expect(found).toMatchObject({ state: 'closed', outcome: 'acted', claim: null, reports: [{ outcome: 'acted' }] });
    expect(found.actions).toEqual([removed.body]);
    expect(found.ownerActions).toEqual([removed.body, warned.body]);
  });

  it('closes with an action on its author that names it', async () => {
    const { owner, id } = await reported();

    const { body } = await act(moderator, 'suspend', 'user', owner.id, { caseId: id });

    expect([body.caseId, (await caseOf(id)).outcome]).toEqual([id, 'acted']);
    expectProblem(await act(moderator, 'warn', 'user', owner.id, { caseId: id }), 409, 'case_closed');
    const none = `post-${new ObjectId().toHexString()}`;
    expectProblem(await act(moderator, 'warn', 'user', owner.id, { caseId: none }), 404, 'case_not_found');
  });

  it('of another account is refused', async () => {
    const { id } = await reported();

    const refused = await act(moderator, 'warn', 'user', author.id, { caseId: id });

    expectProblem(refused, 400, 'invalid_input');
    expect(refused.body.errors).toMatchObject([{ field: 'caseId' }]);
    expect((await caseOf(id)).state).toBe('open');
  });

  it('that another moderator has claimed stops the action', async () => {
    const { post, id } = await reported();
    await send(colleague, 'PUT', `moderation/cases/${id}/claim`);

    expectProblem(await act(moderator, 'remove', 'post', post.id), 409, 'case_claimed');

    expect([await statusOf(`posts/${post.id}`), await logOf(post.id)]).toEqual([200, []]);
  });

  it('stays open when an action is undone', async () => {
    const { post, id } = await reported();
    await act(moderator, 'remove', 'post', post.id);
    await act(moderator, 'restore', 'post', post.id);
    await send(await world.person(), 'POST', 'reports', { targetKind: 'post', targetId: post.id, reason: 'hate' });
    await act(moderator, 'lock', 'post', post.id);
    expect((await caseOf(id)).state).toBe('closed');

    await send(await world.person(), 'POST', 'reports', { targetKind: 'post', targetId: post.id, reason: 'hate' });
    await act(moderator, 'unlock', 'post', post.id);

    expect((await caseOf(id)).state).toBe('open');
  });

  it('lowers the weight of no reporter', async () => {
    const { post } = await reported();
    const reporter = await world.person();
    await world.report({ by: reporter, on: post.id });
    await act(moderator, 'remove', 'post', post.id);
    const other = await world.post({ by: author });

    expect((await caseOf(await world.report({ by: reporter, on: other.id }))).weight).toBe(1);
  });
});

describe('GET /v1/users/me/moderation', () => {
  it('has the actions on my account and content, latest first, without names, notes and dismissed reports', async () => {
    const account = await world.person({ overHttp: true });
    const post = await world.post({ by: account });
    const caseId = await world.report({ by: await world.person(), on: post.id });
    await send(moderator, 'POST', `moderation/cases/${caseId}/dismiss`, {});
    const removed = await act(moderator, 'remove', 'post', post.id, { privateNote: 'Hidden.' });
    const restored = await act(moderator, 'restore', 'post', post.id);
    const suspended = await act(moderator, 'suspend', 'user', account.id, { until: YEAR });

    const { status, body } = await send(await renewed(account), 'GET', 'users/me/moderation');

    const row = ({ body: action }: Answer, fields: object) => {
      const { privateNote: _, detail: __, caseId: ___, ...disclosed } = action;
      return { ...disclosed, actorId: null, appeal: null, removedTexts: [], ...fields };
    };
    expect(status).toBe(200);
    expect(body.data).toEqual([
      row(suspended, { isReversed: false, canAppeal: true }),
      row(restored, { isReversed: false, canAppeal: false }),
      row(removed, { isReversed: true, canAppeal: false }),
    ]);
    for (const secret of ['Hidden.', moderator.id]) expect(JSON.stringify(body)).not.toContain(secret);
    expect(await own(await world.person())).toEqual([]);
  });

  it('has the names of moderators where the site shows them', async () => {
    const account = await world.person();
    await act(moderator, 'warn', 'user', account.id);
    const shown = await startApp({ beside: app, env: { MODERATION_SHOW_NAMES: 'true' } });
    try {
      const { body } = await shown.client.get('/v1/users/me/moderation', { token: account.token });
      expect(body.data).toMatchObject([{ actorId: moderator.id }]);
    } finally {
      await shown.close();
    }
  });
});

describe('GET /v1/moderation/log', () => {
  it('is not found unless the site publishes it', async () => {
    expectProblem(await app.client.get('/v1/moderation/log'), 404, 'not_found');
  });

  describe('of a site that publishes it', () => {
    const open = useApp({ oneHost: 'each host has a cache of its own', env: { MODERATION_LOG: 'public' } });

    it('has the actions with their public reasons, and each new action at once', async () => {
      const [account, staff] = [await open.world.person(), await open.world.person({ role: 'moderator' })];
      const readLog = async () => (await open.client.get('/v1/moderation/log')).body.data;
      const actOn = (kind: string, fields: object = {}) => {
        const about = { kind, targetKind: 'user', targetId: account.id, reasonCode: 'hate', publicReason: 'Insults.' };
        return open.client.post('/v1/moderation/actions', { token: staff.token, body: { ...about, ...fields } });
      };
      expect(await readLog()).toEqual([]);

      const warned = (await actOn('warn', { privateNote: 'Hidden.' })).body;
      const first = await open.client.get('/v1/moderation/log');
      await actOn('suspend');
      await open.client.get(`/v1/admin/users/${account.id}?email=true`, { token: staff.token });

      const { privateNote: _, detail: __, caseId: ___, ...disclosed } = warned;
      expect(first.body.data).toEqual([{ ...disclosed, actorId: null }]);
      expect((await readLog()).map(({ kind }: { kind: string }) => kind)).toEqual(['suspend', 'warn']);
      const again = await open.client.get('/v1/moderation/log');
      expect(again.headers.get('x-cache')).toBe('HIT');
      for (const secret of ['Hidden.', staff.id]) expect(JSON.stringify(again.body)).not.toContain(secret);
    });
  });
});
