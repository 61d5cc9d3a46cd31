import { ObjectId } from 'mongodb';
import { PASSWORD_RESET_REQUESTED } from '../../src/auth/recovery/recovery.events.js';
import { EXPORT_REQUESTED } from '../../src/exports/exports.events.js';
import { useApp } from '../support/app.js';
import { queuedMails } from '../support/mails.js';
import { expectProblem } from '../support/problem.js';
import { runTasks } from '../support/tasks.js';
import type { PersonWithPassword } from '../support/world.js';

const SITE = 'https://site.example';
const CONTACT = 'moderators@example.org';
const UNTIL = new Date(Date.now() + 86_400_000).toISOString();

const app = useApp({ env: { PUBLIC_SITE_URL: SITE, MODERATION_CONTACT: CONTACT } });
const { world } = app;
let person: PersonWithPassword;

const mails = async () =>
  (await queuedMails(app)).filter(({ to, subject }) => to === person.email && !/Confirm/.test(subject));
const linksIn = ({ lists = [] }: Awaited<ReturnType<typeof mails>>[number]) =>
  lists.flatMap(({ items }) => items.map(({ link }) => link));
const act = (kind: 'warn' | 'limit' | 'suspend' | 'ban' | 'lift', until?: string) =>
  world.moderate({ kind, targetKind: 'user', targetId: person.id, ...(until === undefined ? {} : { until }) });
/** Bans the account. Returns the tokens of its mail. */
const ban = async () => {
  const actionId = await act('ban', UNTIL);
  const [appeal, data] = linksIn((await mails()).at(-1)!).map((link) => link.split('#token=')[1]!);
  return { actionId, appeal: appeal!, data: data! };
};
const appealBy = (token: string) =>
  app.client.post('/v1/appeals/by-mail', { body: { token, text: 'It was no advertisement.' } });
const exportBy = (token: string) => app.client.post('/v1/users/me/exports/by-mail', { body: { token } });

beforeEach(async () => {
  person = await world.person({ overHttp: true });
});

describe('a mail about an action', () => {
  it.each([
    ['warn', undefined, 'Your account was warned'],
    ['limit', undefined, 'Your account was limited'],
    ['suspend', UNTIL, 'Your account was suspended'],
    ['ban', UNTIL, 'Your account was banned'],
  ] as const)('has the reason, the end and the way to appeal: %s', async (kind, until, subject) => {
    const id = await act(kind, until);

    const [mail, ...others] = await mails();

    expect([others, mail!.subject]).toEqual([[], subject]);
    expect(mail!.paragraphs).toEqual([
      until === undefined ? `${subject}.` : `${subject} until ${until}.`,
      'Reason: spam: An advertisement.',
      `Questions: ${CONTACT}`,
    ]);
    const links = linksIn(mail!);
    if (kind === 'ban')
      expect(links.map((link) => link.split('=')[0])).toEqual([`${SITE}/appeal#token`, `${SITE}/export#token`]);
    else expect(links).toEqual([`${SITE}/moderation#action=${id}`]);
  });

  it('is sent for removed and restored content, and at the end of a restriction', async () => {
    const post = await world.post({ by: person });
    const comment = await world.comment({ by: person, on: post.id });
    await world.moderate({ kind: 'remove', targetKind: 'comment', targetId: comment.id });
    await world.moderate({ kind: 'remove', targetKind: 'post', targetId: post.id });
    await world.moderate({ kind: 'restore', targetKind: 'post', targetId: post.id });
    await act('ban');
    await act('lift');

    expect((await mails()).map(({ subject }) => subject)).toEqual([
      'Your comment was removed',
      'Your post was removed',
      'Your post was restored',
      'Your account was banned',
      'The restriction of your account was lifted',
    ]);
  });
});

describe('a banned account', () => {
  it('reads the reason, the end and the contact at its sign-in', async () => {
    await ban();
    const { username: login, password } = person;

    const refused = await app.client.post('/v1/auth/login', { body: { login, password } });

    expectProblem(refused, 403, 'account_banned');
    expect(refused.body.ban).toEqual({ reason: 'An advertisement.', until: UNTIL, contact: CONTACT });
  });

  it('appeals once by its mail, and gets the decision by mail', async () => {
    const { actionId, appeal } = await ban();

    expect((await appealBy(appeal)).status).toBe(201);
    expectProblem(await appealBy(appeal), 400, 'invalid_email_token');
    const moderator = await world.person({ role: 'moderator' });
    const decision = { isAccepted: false, publicReason: 'It was one.' };
    const path = `/v1/moderation/appeals/${actionId}/decision`;
    expect((await app.client.post(path, { token: moderator.token, body: decision })).status).toBe(204);
    const last = (await mails()).at(-1)!;
    expect([last.subject, last.paragraphs[1]]).toEqual(['Your appeal was rejected', 'Reason: It was one.']);
  });

  it('appeals once when two requests use the token', async () => {
    const { appeal } = await ban();

    const statuses = (await Promise.all([appealBy(appeal), appealBy(appeal)])).map(({ status }) => status);

    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  });

  it('gets its data once, by a link that needs no sign-in', async () => {
    const { data } = await ban();

    const [first, second] = [await exportBy(data), await exportBy(data)];
    await runTasks(app, [EXPORT_REQUESTED]);

    expect(first.status).toBe(202);
    expectProblem(second, 400, 'invalid_email_token');
    const mail = (await mails()).at(-1)!;
    expect(mail.subject).toBe('Your export is ready');
    const { pathname, search } = new URL(mail.link!);
    expect((await app.client.get(pathname + search)).status).toBe(200);
  });

  it('has its links for 30 days, also after a new password', async () => {
    const { appeal, data } = await ban();
    await app.client.post('/v1/auth/password-reset', { body: { email: person.email } });
    await runTasks(app, [PASSWORD_RESET_REQUESTED]);
    const token = (await mails()).at(-1)!.link!.split('#token=')[1];
    const body = { token, password: 'analytical engine no. 3' };
    expect((await app.client.put('/v1/auth/password-reset', { body })).status).toBe(204);
    const tokens = app.db.collection('one_time_tokens');
    const kinds = { userId: person._id, kind: { $in: ['ban-appeal', 'ban-export'] } };
    const rows = await tokens.find(kinds).toArray();
    const days = rows.map(({ expiresAt }) => Math.round((expiresAt.getTime() - Date.now()) / 86_400_000));
    expect(days).toEqual([30, 30]);

    await tokens.updateMany(kinds, { $set: { expiresAt: new Date() } });

    for (const answer of [await appealBy(appeal), await exportBy(data), await appealBy(new ObjectId().toHexString())])
      expectProblem(answer, 400, 'invalid_email_token');
  });
});
