import { ObjectId } from 'mongodb';
import { AccountsService } from '../../src/auth/accounts.service.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person, PersonWithPassword } from '../support/world.js';
import { drainActivity, drainTasks, verbsOf } from '../support/verbs.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
const { world } = app;
const DAY_MS = 86_400_000;
let moderator: Person;
let colleague: Person;

beforeAll(async () => {
  [moderator, colleague] = await world.people(2, { role: 'moderator' });
});

const { send } = verbsOf(app);
const act = (kind: string, targetKind: string, targetId: string, by = moderator) => {
  const body = { kind, targetKind, targetId, reasonCode: 'spam', publicReason: 'An advertisement.' };
  return send(by, 'POST', 'moderation/actions', body);
};
const appeal = (by: Person, actionId: string, text = 'It was no advertisement.') =>
  send(by, 'POST', 'appeals', { actionId, text });
const decide = (by: Person, actionId: string, isAccepted: boolean, publicReason = 'We looked at it again.') =>
  send(by, 'POST', `moderation/appeals/${actionId}/decision`, { isAccepted, publicReason });
const own = async (by: Person) => (await send(by, 'GET', 'users/me/moderation')).body.data;
const kindsOf = async (by: Person): Promise<string[]> => (await own(by)).map(({ kind }: { kind: string }) => kind);
const listed = async (state = 'open') =>
  (await send(colleague, 'GET', `moderation/appeals?limit=100&state=${state}`)).body.data;
const statusOf = async (path: string) => (await app.client.get(`/v1/${path}`)).status;
/** Signs in again, because a restriction ends the sessions. */
const renewed = async ({ password, ...account }: PersonWithPassword): Promise<Person> => {
  const { body } = await app.client.post('/v1/auth/login', { body: { login: account.username, password } });
  return { ...account, token: body.accessToken };
};
/** Creates a removed post of a new account, with the id of the action. */
const removedPost = async () => {
  const account = await world.person();
  const post = await world.post({ by: account });
  const { id } = (await act('remove', 'post', post.id)).body;
  return { account, post, actionId: id as string };
};

describe('POST /v1/appeals', () => {
  it('stores an appeal that the account and moderators can read', async () => {
    const { account, actionId } = await removedPost();

    const { status, body } = await appeal(account, actionId, ' It was\nno advertisement. ');

    const open = { state: 'open', text: 'It was\nno advertisement.', decidedAt: null, reason: '' };
    expect([status, body]).toEqual([201, { ...open, createdAt: expect.any(String) }]);
    expect(await own(account)).toMatchObject([{ id: actionId, canAppeal: false, appeal: body }]);
    const [found] = (await listed()).filter(({ action }: { action: { id: string } }) => action.id === actionId);
    expect(found).toMatchObject({ ...body, userId: account.id, decidedBy: null });
    expect(found.action).toMatchObject({ kind: 'remove', actorId: moderator.id, publicReason: 'An advertisement.' });
  });

  it('accepts one appeal against an action', async () => {
    const { account, actionId } = await removedPost();

    const answers = await Promise.all([1, 2, 3].map(() => appeal(account, actionId)));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expectProblem(await appeal(account, actionId), 409, 'already_appealed');
  });

  it('does not find actions on other accounts', async () => {
    const { actionId } = await removedPost();

    expectProblem(await appeal(await world.person(), actionId), 404, 'action_not_found');
    expectProblem(await appeal(moderator, actionId), 404, 'action_not_found');
    expectProblem(await appeal(moderator, new ObjectId().toHexString()), 404, 'action_not_found');
  });

  it('refuses actions that were undone, that are older than 30 days, and that end nothing', async () => {
    const { account, post, actionId } = await removedPost();
    const restored = (await act('restore', 'post', post.id)).body.id;
    const old = await removedPost();
    const createdAt = new Date(Date.now() - 30 * DAY_MS);
    await app.db
      .collection('moderation_actions')
      .updateOne({ _id: new ObjectId(old.actionId) }, { $set: { createdAt } });

    expectProblem(await appeal(account, actionId), 409, 'not_appealable');
    expectProblem(await appeal(account, restored), 409, 'not_appealable');
    expectProblem(await appeal(old.account, old.actionId), 409, 'not_appealable');
    expect((await own(old.account))[0].canAppeal).toBe(false);
  });

  it('is allowed for a suspended account', async () => {
    const account = await world.person({ overHttp: true });
    const { id } = (await act('suspend', 'user', account.id)).body;
    const suspended = await renewed(account);

    expectProblem(await send(suspended, 'POST', 'drafts', { title: 'A draft' }), 403, 'account_suspended');
    expect((await appeal(suspended, id)).status).toBe(201);
    expect(await own(suspended)).toMatchObject([{ kind: 'suspend', appeal: { state: 'open' } }]);
  });
});

describe('the decision of an appeal', () => {
  it('that accepts it restores a post, and shows both in the log and to the account', async () => {
    const { account, post, actionId } = await removedPost();
    await appeal(account, actionId);
    expect(await statusOf(`posts/${post.id}`)).toBe(404);

    expect((await decide(colleague, actionId, true, 'Sorry.')).status).toBe(204);

    expect(await statusOf(`posts/${post.id}`)).toBe(200);
    const { data } = (await send(moderator, 'GET', `admin/log?actorId=${colleague.id}&limit=2`)).body;
    expect(data).toMatchObject([
      { kind: 'accept_appeal', targetKind: 'action', targetId: actionId, ownerId: account.id, publicReason: 'Sorry.' },
      { kind: 'restore', targetKind: 'post', targetId: post.id, reverses: actionId, publicReason: 'Sorry.' },
    ]);
    expect(await kindsOf(account)).toEqual(['accept_appeal', 'restore', 'remove']);
    const [, , removed] = await own(account);
    expect(removed).toMatchObject({ isReversed: true, appeal: { state: 'accepted', reason: 'Sorry.' } });
    expect(removed.appeal.decidedAt).toEqual(expect.any(String));
  });

  it('that rejects it changes nothing but the appeal', async () => {
    const { account, post, actionId } = await removedPost();
    await appeal(account, actionId);

    expect((await decide(colleague, actionId, false, 'It is one.')).status).toBe(204);

    expect(await statusOf(`posts/${post.id}`)).toBe(404);
    expect(await kindsOf(account)).toEqual(['reject_appeal', 'remove']);
    const [, removed] = await own(account);
    expect(removed).toMatchObject({ isReversed: false, appeal: { state: 'rejected', reason: 'It is one.' } });
    const [found] = (await listed('rejected')).filter(({ action }: any) => action.id === actionId);
    expect(found.decidedBy).toBe(colleague.id);
  });

  it('notifies the account', async () => {
    const { account, actionId } = await removedPost();
    await appeal(account, actionId);
    await decide(colleague, actionId, false, 'It is one.');
    await drainActivity(app);

    const { data } = (await send(account, 'GET', 'notifications?kind=moderation')).body;

    expect(data.map(({ action }: any) => [action.kind, action.publicReason])).toEqual([
      ['reject_appeal', 'It is one.'],
      ['remove', 'An advertisement.'],
    ]);
  });

  it('is refused to the moderator who acted, and to moderators about themselves and their equals', async () => {
    const { account, actionId } = await removedPost();
    await appeal(account, actionId);
    const [admin, other] = await world.people(2, { role: 'admin' });
    const warning = (await act('warn', 'user', colleague.id, admin)).body.id;
    await appeal(colleague, warning);

    expectProblem(await decide(moderator, actionId, true), 403, 'forbidden');
    expectProblem(await decide(colleague, warning, true), 403, 'forbidden');
    expectProblem(await decide(moderator, warning, true), 403, 'forbidden');
    expectProblem(await decide(admin, warning, true), 403, 'forbidden');
    expect((await decide(other, warning, true)).status).toBe(204);
  });

  it('is made once', async () => {
    const { account, actionId } = await removedPost();
    await appeal(account, actionId);
    const others = await world.people(2, { role: 'moderator' });

    const answers = await Promise.all(others.map((by, at) => decide(by, actionId, at === 0)));

    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expectProblem(await decide(colleague, actionId, true), 409, 'appeal_decided');
    expectProblem(await decide(colleague, new ObjectId().toHexString(), true), 404, 'appeal_not_found');
  });

  it.each([
    ['lock', 'unlock'],
    ['remove', 'restore'],
  ])('accepts an appeal against %s by %s', async (kind, undo) => {
    const account = await world.person();
    const post = await world.post({ by: account });
    const { id } = (await act(kind, 'post', post.id)).body;
    await appeal(account, id);

    await decide(colleague, id, true);

    expect(await kindsOf(account)).toEqual(['accept_appeal', undo, kind]);
    const { isLocked, isListed } = (await app.db.collection('posts').findOne({ _id: new ObjectId(post.id) }))!;
    expect([isLocked, isListed]).toEqual([false, true]);
  });

  it('accepts an appeal against a suspension by lift', async () => {
    const account = await world.person({ overHttp: true });
    const { id } = (await act('suspend', 'user', account.id)).body;
    await appeal(await renewed(account), id);

    await decide(colleague, id, true);

    expect((await app.db.collection('users').findOne({ _id: account._id }))!['standing'] ?? null).toBeNull();
  });

  it('accepts an appeal against a warning without another action', async () => {
    const account = await world.person();
    const { id } = (await act('warn', 'user', account.id)).body;
    await appeal(account, id);

    await decide(colleague, id, true);

    expect(await kindsOf(account)).toEqual(['accept_appeal', 'warn']);
    expect((await own(account))[1].isReversed).toBe(true);
  });

  it('does not undo a later action, and none whose effect has ended', async () => {
    const account = await world.person({ overHttp: true });
    const suspended = (await act('suspend', 'user', account.id)).body.id;
    await appeal(await renewed(account), suspended);
    await act('ban', 'user', account.id);
    const deleted = await removedPost();
    await appeal(deleted.account, deleted.actionId);
    await world.deletePost(deleted.post.id, { by: deleted.account });

    for (const actionId of [suspended, deleted.actionId])
      expect((await decide(colleague, actionId, true)).status).toBe(204);

    const user = await app.db.collection('users').findOne({ _id: account._id });
    expect(user!['standing']).toMatchObject({ level: 'banned' });
    expect(await kindsOf(deleted.account)).toEqual(['accept_appeal', 'remove']);
  });
});

describe('GET /v1/moderation/appeals', () => {
  it('lists appeals by state, the oldest first', async () => {
    const [first, second] = [await removedPost(), await removedPost()];
    await appeal(second.account, second.actionId);
    await appeal(first.account, first.actionId);
    const idsOf = async (state: string): Promise<string[]> => {
      const ids: string[] = (await listed(state)).map(({ action }: any) => action.id);
      return ids.filter((id) => [first.actionId, second.actionId].includes(id));
    };

    expect(await idsOf('open')).toEqual([second.actionId, first.actionId]);
    await decide(colleague, second.actionId, false);
    await decide(colleague, first.actionId, true);

    expect(await Promise.all(['open', 'rejected', 'accepted'].map(idsOf))).toEqual([
      [],
      [second.actionId],
      [first.actionId],
    ]);
  });
});

describe('the deletion of an account', () => {
  it('deletes its appeals, and keeps the log', async () => {
    const { account, actionId } = await removedPost();
    await appeal(account, actionId);

    await app.app.get(AccountsService).end(account._id);
    await drainTasks(app);

    expect(await app.db.collection('appeals').countDocuments({ userId: account._id })).toBe(0);
    expect(await app.db.collection('moderation_actions').countDocuments({ ownerId: account._id })).toBe(1);
  });
});
