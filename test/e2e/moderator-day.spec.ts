import { useApp } from '../support/app.js';
import { runCli } from '../support/cli.js';
import { expectProblem } from '../support/problem.js';
import type { Person, PersonWithPassword } from '../support/world.js';
import { drainActivity, verbsOf } from '../support/verbs.js';

/** The commands run on one host. */
const app = useApp({ oneHost: 'a command has no events of other hosts', env: { MODERATION_LOG: 'public' } });
const { world } = app;

const { send } = verbsOf(app);
/** Signs in again, because a restriction ends the sessions. */
const signedIn = async ({ username, password, ...person }: PersonWithPassword): Promise<Person> => {
  const { body } = await app.client.post('/v1/auth/login', { body: { login: username, password } });
  return { ...person, username, token: body.accessToken };
};
const decide = (by: Person, actionId: string) =>
  send(by, 'POST', `moderation/appeals/${actionId}/decision`, { isAccepted: true, publicReason: 'Sorry.' });
const statusOf = async (path: string) => (await app.client.get(`/v1/${path}`)).status;

describe('a day of moderators', () => {
  it('goes from a report to a suspension, an appeal, a restored post and the log', async () => {
    const author = await world.person({ overHttp: true });
    const [reader, moderator, colleague] = [
      await world.person(),
      await world.person({ role: 'moderator' }),
      await world.person({ role: 'moderator' }),
    ];
    const post = await world.post({ by: author, title: 'Buy this' });

    // A reader reports the post, and a moderator claims the case.
    const caseId = await world.report({ by: reader, on: post.id });
    const [open] = (await send(moderator, 'GET', 'moderation/cases')).body.data;
    expect([open.id, (await send(moderator, 'PUT', `moderation/cases/${caseId}/claim`)).status]).toEqual([caseId, 200]);
    const waiting = JSON.parse((await runCli(app, ['moderation', '--json'])).text);
    expect(waiting).toMatchObject({ openCases: { count: 1, oldestAt: open.firstAt }, openAppeals: { count: 0 } });

    // The moderator removes the post, which closes the case, and suspends the author.
    const about = { reasonCode: 'spam', publicReason: 'An advertisement.' };
    const removal = { kind: 'remove', targetKind: 'post', targetId: post.id, ...about };
    const removed = (await send(moderator, 'POST', 'moderation/actions', removal)).body;
    const suspension = { kind: 'suspend', targetKind: 'user', targetId: author.id, ...about };
    expect((await send(moderator, 'POST', 'moderation/actions', suspension)).status).toBe(201);
    expect([removed.caseId, await statusOf(`posts/${post.id}`)]).toEqual([caseId, 404]);
    expect((await send(moderator, 'GET', `moderation/cases/${caseId}`)).body.outcome).toBe('acted');

    // The author can read why, but not write, and appeals.
    const suspended = await signedIn(author);
    await drainActivity(app);
    const { data } = (await send(suspended, 'GET', 'notifications?kind=moderation')).body;
    expect(data.map(({ action }: any) => action.kind)).toEqual(['suspend', 'remove']);
    expectProblem(await send(suspended, 'POST', 'drafts', { title: 'More' }), 403, 'account_suspended');
    const appeal = { actionId: removed.id, text: 'I review this product, without pay.' };
    expect((await send(suspended, 'POST', 'appeals', appeal)).status).toBe(201);
    expect((await runCli(app, ['moderation'])).text).toMatch(/^open cases: 0\nopen appeals: 1, the oldest since /);

    // Another moderator accepts the appeal, and the operator ends the suspension.
    expectProblem(await decide(moderator, removed.id), 403, 'forbidden');
    expect((await decide(colleague, removed.id)).status).toBe(204);
    const lifted = await runCli(app, ['accounts', 'lift', author.username, '--reason', 'A mistake.']);
    expect([lifted.status, await statusOf(`posts/${post.id}`)]).toEqual([0, 200]);
    expect((await send(await signedIn(author), 'POST', 'drafts', { title: 'More' })).status).toBe(201);

    // The log shows it all, to visitors without names. Ids of one second have no order across processes.
    const kinds = ['accept_appeal', 'lift', 'remove', 'restore', 'suspend'];
    const { data: rows } = (await send(moderator, 'GET', 'admin/log')).body;
    expect(rows.map(({ kind }: any) => kind).sort()).toEqual(kinds);
    const log = Object.fromEntries(rows.map((row: any) => [row.kind, row]));
    expect(log.lift).toMatchObject({ actorId: null, actorRole: 'operator', publicReason: 'A mistake.' });
    expect([log.lift.reverses, log.restore.reverses]).toEqual([log.suspend.id, log.remove.id]);
    const { data: visible } = (await app.client.get('/v1/moderation/log')).body;
    expect(visible.map(({ kind, actorId }: any) => `${kind} ${actorId}`).sort()).toEqual(
      kinds.map((kind) => `${kind} null`),
    );
  });
});

describe('cli accounts suspend and lift', () => {
  it('act as the operator, with a reason and an end', async () => {
    const account = await world.person();
    const until = '2099-12-31T00:00:00.000Z';
    const run = (...args: string[]) => runCli(app, ['accounts', ...args]);

    const suspended = await run('suspend', account.username, '--reason', 'Spam.', '--until', until);
    const again = await run('suspend', account.username, '--reason', 'Spam.', '--until', until);
    const [row] = await app.db.collection('moderation_actions').find({ targetId: account._id }).toArray();

    expect([suspended.status, suspended.text]).toEqual([0, expect.stringContaining('suspended: Spam.')]);
    expect(row).toMatchObject({ actorId: null, actorRole: 'operator', kind: 'suspend', until: new Date(until) });
    expect(again).toEqual({ status: 1, text: 'The account already has this standing.\n' });
    expect((await run('lift', account.username, '--reason', 'Enough.')).status).toBe(0);
    expect((await run('lift', account.username, '--reason', 'Enough.')).status).toBe(1);
  });

  it('refuse a missing reason, and an end that is no time or has passed', async () => {
    const { username } = await world.person();
    const run = (...args: string[]) => runCli(app, ['accounts', 'suspend', username, ...args]);

    const refused = [
      await run(),
      await run('--reason', ''),
      await run('--reason', 'Spam.', '--until', 'tomorrow'),
      await run('--reason', 'Spam.', '--until', '2020-01-01T00:00:00Z'),
    ];

    expect(refused.map(({ status }) => status)).toEqual([1, 1, 1, 1]);
  });
});
