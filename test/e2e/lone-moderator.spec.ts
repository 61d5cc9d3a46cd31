import { useApp } from '../support/app.js';
import { runCli } from '../support/cli.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { verbsOf } from '../support/verbs.js';

const app = useApp();
const { world } = app;
let admin: Person;

beforeAll(async () => {
  admin = await world.person({ role: 'admin' });
});

const { send } = verbsOf(app);
const act = async (kind: string, targetId: string): Promise<string> => {
  const body = { kind, targetKind: 'post', targetId, reasonCode: 'spam', publicReason: 'An advertisement.' };
  return (await send(admin, 'POST', 'moderation/actions', body)).body.id;
};
const decide = (actionId: string, isAccepted: boolean) =>
  send(admin, 'POST', `moderation/appeals/${actionId}/decision`, { isAccepted, publicReason: 'I looked again.' });
const open = async () => (await send(admin, 'GET', 'moderation/appeals')).body.data.length;
const statusOf = async (path: string) => (await app.client.get(`/v1/${path}`)).status;
const latestOn = async (id: string) => (await send(admin, 'GET', `admin/log?targetId=${id}`)).body.data[0];
const appealOf = async (by: Person) => (await send(by, 'GET', 'users/me/moderation')).body.data.at(-1).appeal;

/** Creates a removed post of a new account, and its appeal. */
async function appealed() {
  const account = await world.person();
  const post = await world.post({ by: account });
  const actionId = await act('remove', post.id);
  await world.appeal({ by: account, actionId });
  return { account, post, actionId };
}

describe('a site with one moderator', () => {
  it('has its appeals decided by the moderator of the action, which the log says', async () => {
    const [accepted, rejected] = [await appealed(), await appealed()];

    const statuses = [await decide(accepted.actionId, true), await decide(rejected.actionId, false)];

    expect(statuses.map(({ status }) => status)).toEqual([204, 204]);
    expect([await statusOf(`posts/${accepted.post.id}`), await statusOf(`posts/${rejected.post.id}`)]).toEqual([
      ...[200, 404],
    ]);
    const detail = 'own action: no other moderator can decide';
    expect(await latestOn(accepted.actionId)).toMatchObject({ kind: 'accept_appeal', actorId: admin.id, detail });
    expect(await latestOn(rejected.actionId)).toMatchObject({ kind: 'reject_appeal', detail });
  });

  it('closes an appeal when the action is reversed', async () => {
    const { account, post } = await appealed();
    expect(await open()).toBe(1);

    await act('restore', post.id);

    expect(await open()).toBe(0);
    expect(await appealOf(account)).toMatchObject({ state: 'accepted', reason: 'An advertisement.' });
  });

  it('has cases about the moderator closed by the moderator, which the log says', async () => {
    const post = await world.post({ by: admin });
    const id = await world.report({ by: await world.person(), on: post.id });

    expect((await send(admin, 'PUT', `moderation/cases/${id}/claim`)).status).toBe(200);
    expect((await send(admin, 'POST', `moderation/cases/${id}/dismiss`, {})).status).toBe(204);
    const detail = 'own content: no other moderator can decide';
    expect(await latestOn(post.id)).toMatchObject({ kind: 'dismiss_reports', actorId: admin.id, detail });
  });

  it('has its appeals decided by the operator, too', async () => {
    const [accepted, rejected] = [await appealed(), await appealed()];
    const run = (...args: string[]) => runCli(app, ['moderation', ...args]);

    const list = await run('appeals');
    const done = [
      await run('decide', accepted.actionId, 'accept', '--reason', 'A mistake.'),
      await run('decide', rejected.actionId, 'reject', '--reason', 'It is one.'),
    ];
    const again = await run('decide', accepted.actionId, 'accept', '--reason', 'A mistake.');

    expect(list.text).toContain(`${accepted.actionId} remove post ${accepted.post.id} of user ${accepted.account.id}`);
    expect(list.text).toContain('It was no advertisement.');
    expect(done.map(({ status }) => status)).toEqual([0, 0]);
    expect(await statusOf(`posts/${accepted.post.id}`)).toBe(200);
    expect(await appealOf(rejected.account)).toMatchObject({ state: 'rejected', reason: 'It is one.' });
    expect(await latestOn(accepted.actionId)).toMatchObject({ actorId: null, actorRole: 'operator', detail: null });
    expect([again.status, again.text]).toEqual([1, expect.stringContaining('already decided')]);
    expect((await run('decide', 'none', 'accept', '--reason', 'A mistake.')).status).toBe(1);
  });

  it('stays with the rule of two once another moderator can decide', async () => {
    const { actionId } = await appealed();
    const other = await world.person({ role: 'moderator' });
    const post = await world.post({ by: admin });
    const id = await world.report({ by: await world.person(), on: post.id });

    expectProblem(await decide(actionId, true), 403, 'forbidden');
    expectProblem(await send(admin, 'POST', `moderation/cases/${id}/dismiss`, {}), 403, 'forbidden');

    await world.moderate({ kind: 'suspend', targetKind: 'user', targetId: other.id });
    expect((await decide(actionId, true)).status).toBe(204);
  });
});
