import type { ObjectId } from 'mongodb';
import { DigestJob } from '../../src/notifications/mails/digest.job.js';
import { startApp, type TestApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import { mailTasks } from '../support/mails.js';
import { type ReceivedMail, TestSmtp, textOf } from '../support/smtp.js';
import { until } from '../support/until.js';
import type { Person, PersonWithPassword, World } from '../support/world.js';
import { drainActivity } from '../support/verbs.js';

const SITE = 'https://site.example';
const smtp = new TestSmtp();

describe('mails about notifications', () => {
  let app: TestApp;
  let world: World;
  beforeAll(async () => {
    app = await startApp({ env: { PUBLIC_SITE_URL: SITE, SMTP_URL: await smtp.start() }, role: 'all' });
    world = app.world;
  });
  afterAll(async () => {
    await app.close();
    await smtp.stop();
  });

  const send = async (by: Person, method: string, path: string, body?: object): Promise<any> => {
    const answer = await app.client.request(method, `/v1/${path}`, { token: by.token, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const settings = (by: Person, changes: object) => send(by, 'PATCH', 'notifications/settings', changes);
  const runDigests = () => app.app.get(DigestJob).run(AbortSignal.timeout(60_000));
  const states = () => app.db.collection<{ _id: ObjectId; nextDigestAt?: Date }>('notification_states');
  const makeDue = ({ _id }: Person) =>
    states().updateOne({ _id, nextDigestAt: { $exists: true } }, { $set: { nextDigestAt: new Date() } });
  const mailsTo = async ({ email }: PersonWithPassword): Promise<ReceivedMail[]> => {
    await drainActivity(app);
    await until(async () => ((await mailTasks(app).countDocuments({ topic: 'mail' })) === 0 ? true : null));
    return smtp.to(email).filter(({ source }) => source.includes('List-Unsubscribe'));
  };
  const verified = async (): Promise<PersonWithPassword> => {
    const person = await world.person({ overHttp: true });
    await app.db.collection('credentials').updateOne({ _id: person._id }, { $set: { emailVerifiedAt: new Date() } });
    return person;
  };
  const linkOf = ({ source }: ReceivedMail): string =>
    new URL(/List-Unsubscribe:\s*<([^>]+)>/.exec(source.replace(/\r\n[ \t]+/g, ' '))![1]!).pathname;

  it('are sent for chosen kinds, with title and name but no text, in the language of the account', async () => {
    const [author, reader] = [await verified(), await world.person({ fullName: 'Konrad Zuse' })];
    const post = await world.post({ by: author, title: 'Plankalkül' });
    await settings(author, { comment: 'mail' });
    await world.comment({ by: reader, on: post.id, content: 'Secret text' });
    await send(reader, 'PUT', `posts/${post.id}/vote`, { value: 'like' });
    const [mail, ...others] = await mailsTo(author);
    expect(others).toEqual([]);
    expect(mail!.subject).toContain('Konrad_Zuse_commented_on');
    expect(textOf(mail!)).toContain('Konrad Zuse commented on “Plankalkül”.');
    expect(textOf(mail!)).toContain(`${SITE}/notifications`);
    expect(mail!.source).not.toContain('Secret');
    expect(mail!.source).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect((await send(author, 'GET', 'notifications')).data).toHaveLength(2);

    await send(author, 'PATCH', 'users/me', { settings: { language: 'de-AT' } });
    await world.comment({ by: reader, on: post.id });
    const [, german] = await mailsTo(author);
    expect(textOf(german!)).toContain('Konrad Zuse hat „Plankalkül“ kommentiert.');
  });

  it('are not sent to addresses that are not verified, or to an account that wants none', async () => {
    const [author, reader] = [await world.person({ overHttp: true }), await world.person()];
    const post = await world.post({ by: author });
    await settings(author, { comment: 'mail', digest: 'daily' });
    await world.comment({ by: reader, on: post.id });
    expect(await mailsTo(author)).toEqual([]);
    await makeDue(author);
    await runDigests();
    expect(await mailsTo(author)).toEqual([]);
    const other = await verified();
    expect(await send(other, 'GET', 'notifications/settings')).toMatchObject({ digest: 'off', comment: 'app' });
  });

  it('end with one click without signing in; the page changes nothing', async () => {
    const [author, reader] = [await verified(), await world.person()];
    const post = await world.post({ by: author });
    await settings(author, { comment: 'mail' });
    await world.comment({ by: reader, on: post.id });
    const path = linkOf((await mailsTo(author))[0]!);

    const page = await fetch(app.url + path);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('<form method="post">');
    expect(await send(author, 'GET', 'notifications/settings')).toMatchObject({ comment: 'mail' });

    const urlEncoded = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    for (const body of [urlEncoded, form, undefined]) {
      await settings(author, { comment: 'mail' });
      const done = await fetch(app.url + path, { method: 'POST', ...(body && { body }) });
      expect(done.status).toBe(200);
      expect(await send(author, 'GET', 'notifications/settings')).toMatchObject({ comment: 'app' });
    }
    await settings(author, { comment: 'mail_and_push' });
    await fetch(app.url + path, { method: 'POST' });
    expect(await send(author, 'GET', 'notifications/settings')).toMatchObject({ comment: 'push' });
    await settings(author, { comment: 'off' });
    await fetch(app.url + path, { method: 'POST' });
    expect(await send(author, 'GET', 'notifications/settings')).toMatchObject({ comment: 'off' });

    const forged = `${path.slice(0, -12)}AAAAAAAAAAAA`;
    for (const method of ['GET', 'POST']) expectProblem(await app.client.request(method, forged), 404, 'not_found');
    const elsewhere = await fetch(`${app.url}/v1/posts`, { method: 'POST', body: urlEncoded });
    expect(elsewhere.status).toBe(415);
  });

  it('of a digest list unread notifications and top posts, once, and not when nothing is new', async () => {
    const [reader, author, fan] = [await verified(), ...(await world.people(2))];
    await settings(reader, { digest: 'daily', digestHour: 7, timeZone: 'Europe/Berlin' });
    const { nextDigestAt } = (await states().findOne({ _id: reader._id }))!;
    expect(nextDigestAt!.getTime()).toBeGreaterThan(Date.now());
    await makeDue(reader);
    await runDigests();
    expect(await mailsTo(reader)).toEqual([]);
    expect((await states().findOne({ _id: reader._id }))!.nextDigestAt).toEqual(nextDigestAt);

    await send(reader, 'PUT', `users/${author.username}/follow`);
    const [plain, liked] = [await world.post({ by: author }), await world.post({ by: author, title: 'Liked' })];
    await send(fan, 'PUT', `posts/${liked.id}/vote`, { value: 'like' });
    const mine = await world.post({ by: reader, title: 'Mine' });
    await world.comment({ by: fan, on: mine.id });
    await drainActivity(app);
    await makeDue(reader);
    await Promise.all([runDigests(), runDigests()]);
    const [mail, ...others] = await mailsTo(reader);
    expect(others).toEqual([]);
    expect(mail!.subject).toBe('Your digest: OpenCanvas');
    const text = textOf(mail!);
    expect(text).toContain(`- New comment on your post: Mine\n  ${SITE}/p/${mine.slug}`);
    expect(text.indexOf(`${SITE}/p/${liked.slug}`)).toBeGreaterThan(0);
    expect(text.indexOf(`${SITE}/p/${plain.slug}`)).toBeGreaterThan(text.indexOf(`${SITE}/p/${liked.slug}`));

    await fetch(app.url + linkOf(mail!), { method: 'POST' });
    expect(await send(reader, 'GET', 'notifications/settings')).toMatchObject({ digest: 'off', digestHour: 7 });
    expect((await states().findOne({ _id: reader._id }))!.nextDigestAt).toBeUndefined();
  });

  it('refuses a time zone and an hour that do not exist', async () => {
    const { token } = await world.person();
    const zones = ['Mars/Olympus', '+0530', '-08', null].map((timeZone) => ({ timeZone }));
    for (const body of [...zones, { digestHour: 24 }, { digest: 'hourly' }])
      expectProblem(await app.client.patch('/v1/notifications/settings', { token, body }), 400, 'invalid_input');
  });
});
