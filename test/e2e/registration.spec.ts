import { randomBytes } from 'node:crypto';
import { describeApi } from '../../src/api-document.js';
import { AppConfig } from '../../src/config/app-config.js';
import type { RegistrationMode } from '../../src/config/env.schema.js';
import { startApp, type TestApp } from '../support/app.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { queuedMails } from '../support/mails.js';
import { CLIENT, FormBrowser, TestProvider } from '../support/oidc-provider.js';
import { OPENCANVAS_ENV, SITE } from '../support/opencanvas-people.js';
import { operationsOf } from '../support/openapi.js';
import { expectProblem } from '../support/problem.js';
import { AnswerCheck } from '../support/response-check.js';
import type { PersonWithPassword } from '../support/world.js';

const RETURN_TO = 'https://app.example/signed-in';
const document = await describeApi();
const check = new AnswerCheck(document);
const provider = new TestProvider();

let app: TestApp;
let admin: PersonWithPassword;
let moderator: PersonWithPassword;
let member: PersonWithPassword;
let people = 0;

beforeAll(async () => {
  const issuer = await provider.start();
  app = await startApp({
    env: {
      ...OPENCANVAS_ENV,
      HTTP_PUBLIC_URL: 'http://127.0.0.1:3000',
      AUTH_OIDC_PROVIDERS: JSON.stringify({ google: { issuer, ...CLIENT, domains: ['*'] } }),
      AUTH_RETURN_ORIGINS: 'https://app.example',
    },
  });
  // The port of the app is known only now.
  for (const { http } of app.everyOf(AppConfig)) http.publicUrl = app.url;
  provider.serve(`${app.url}/v1/auth/oidc/google/callback`, `${app.url}/oc/auth/google/callback`);
  admin = await app.world.person({ overHttp: true, role: 'admin' });
  moderator = await app.world.person({ overHttp: true, role: 'moderator' });
  member = await app.world.person({ overHttp: true });
});
afterAll(async () => {
  await app.close();
  await provider.stop();
});

/** Sets the mode for the tests of this block, in every server of the app. */
function useMode(mode: RegistrationMode): void {
  const set = async (registration: RegistrationMode): Promise<void> =>
    expect((await app.client.patch('/v1/instance', { token: admin.token, body: { registration } })).status).toBe(200);
  beforeAll(() => set(mode));
  afterAll(() => set('open'));
}

const applicant = (more: object = {}) => {
  const username = `r${randomBytes(5).toString('hex')}`;
  return { username, email: `${username}@example.org`, password: TEST_PASSWORD, fullName: 'Mary Somerville', ...more };
};
const register = (body: object) => app.client.post('/v1/auth/register', { body });
const create = ({ token }: { token: string }, body: object = {}) =>
  app.client.post('/v1/admin/invites', { token, body });
const invites = async ({ token }: { token: string }) =>
  (await app.client.get('/v1/admin/invites', { token })).body.data;
const revoke = ({ token }: { token: string }, id: string) => app.client.delete(`/v1/admin/invites/${id}`, { token });
const codeOf = async (body: object = {}): Promise<string> => (await create(admin, body)).body.code;
const waiting = async () => (await app.client.get('/v1/admin/sign-ups', { token: moderator.token })).body.data;
const mailsTo = async (address: string) =>
  (await queuedMails(app)).filter(({ to }) => to === address).map(({ subject }) => subject);

/** Signs a new person in at the provider and returns the outcome. */
async function firstSignIn(sub = `person-${++people}`, invite?: string): Promise<URLSearchParams> {
  provider.people.set(sub, { email: `${sub}@example.org`, email_verified: true, name: 'Mary Somerville' });
  const query = new URLSearchParams({ returnTo: RETURN_TO, ...(invite === undefined ? {} : { invite }) });
  const begin = `${app.url}/v1/auth/oidc/google/start?${query.toString()}`;
  const browser = new FormBrowser();
  const callback = await browser.until(`${app.url}/v1/auth/oidc/google/callback`, begin, sub);
  return new URL((await browser.send(callback)).location!).searchParams;
}

/** Signs a new person in with the client of OpenCanvas and returns the final page. */
async function openCanvasSignIn(): Promise<string> {
  const sub = `person-${++people}`;
  provider.people.set(sub, { email: `${sub}@example.org`, email_verified: true, name: 'Mary Somerville' });
  const browser = new FormBrowser();
  const callback = await browser.until(`${app.url}/oc/auth/google/callback`, `${app.url}/oc/auth/google`, sub);
  return (await browser.send(callback)).location!;
}

describe('the site', () => {
  it('names who may register, its languages, limits and providers, for caches', async () => {
    const { status, body, headers } = await app.client.get('/v1/instance');
    expect([status, headers.get('cache-control')]).toEqual([200, expect.stringContaining('s-maxage=30')]);
    expect(body).toMatchObject({ name: 'OpenCanvas', registration: 'open', languages: ['en'], providers: ['google'] });
    expect(body.limits).toMatchObject({ titleLength: 200, subtitleLength: 120, writesPerMinute: expect.any(Number) });
  });
});

describe('open registration', () => {
  it('ignores an invite and a reason', async () => {
    const { status } = await register(applicant({ invite: 'x'.repeat(43), reason: 'I write.' }));
    expect(status).toBe(201);
  });
});

describe('closed registration', () => {
  useMode('closed');

  it('refuses everyone, also with an invite and with a provider', async () => {
    const invite = await codeOf();
    expectProblem(await register(applicant({ invite })), 403, 'registration_closed');
    expect((await firstSignIn('closed', invite)).get('error')).toBe('registration_closed');
    expect(await openCanvasSignIn()).toBe(`${SITE}/login?error=google_auth_failed`);
    expect((await app.client.get('/v1/instance')).body.registration).toBe('closed');
    expect(await app.db.collection('identities').countDocuments()).toBe(0);
  });

  it('lets members sign in', async () => {
    const body = { login: member.username, password: TEST_PASSWORD };
    expect((await app.client.post('/v1/auth/login', { body })).status).toBe(200);
  });
});

describe('registration by invite', () => {
  useMode('invite');

  it('refuses a missing, unknown, used, expired and revoked invite with the same problem', async () => {
    const [used, expired] = [await codeOf(), await codeOf()];
    const revoked = (await create(admin)).body;
    expect((await register(applicant({ invite: ` ${used}\n` }))).status).toBe(201);
    const [latest] = await app.db.collection('invites').find().sort({ _id: -1 }).skip(1).limit(1).toArray();
    await app.db.collection('invites').updateOne({ _id: latest!._id }, { $set: { expiresAt: new Date(0) } });
    expect((await revoke(admin, revoked.id)).status).toBe(204);
    const bodies = [];
    for (const invite of [undefined, 'x'.repeat(43), used, expired, revoked.code]) {
      const answer = await register(applicant(invite === undefined ? {} : { invite }));
      expectProblem(answer, 403, 'invalid_invite');
      bodies.push(answer.body.detail);
    }
    expect(new Set(bodies).size).toBe(1);
  });

  it('admits as many as the invite has uses, also at once, and an account that fails takes none', async () => {
    const invite = await codeOf({ uses: 3 });
    const taken = await register(applicant({ invite, username: member.username }));
    expectProblem(taken, 409, 'username_taken');

    const answers = await Promise.all([...Array(6)].map(() => register(applicant({ invite }))));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403]);
    expect((await invites(admin))[0]).toMatchObject({ uses: 3, usedCount: 3 });
  });

  it('admits a first sign-in with a provider, and refuses one without an invite', async () => {
    expect((await firstSignIn('uninvited')).get('error')).toBe('invalid_invite');
    expect(await openCanvasSignIn()).toBe(`${SITE}/login?error=google_auth_failed`);
    const code = (await firstSignIn('invited', await codeOf())).get('code');
    expect((await app.client.post('/v1/auth/exchange', { body: { code } })).status).toBe(200);
    // The account exists now and needs no invite.
    expect((await firstSignIn('invited')).get('code')).toMatch(/^[\w-]{43}$/);
  });
});

describe('registration by approval', () => {
  useMode('approval');
  const operation = operationsOf(document).find(({ id }) => id === 'register')!;
  const logIn = (login: string) => app.client.post('/v1/auth/login', { body: { login, password: TEST_PASSWORD } });
  const decide = (id: string, isApproved: boolean, { token } = moderator) =>
    isApproved
      ? app.client.put(`/v1/admin/sign-ups/${id}/approval`, { token })
      : app.client.delete(`/v1/admin/sign-ups/${id}`, { token });

  it('creates no account until a moderator approves', async () => {
    const body = applicant({ reason: 'I write about the stars.' });
    const answer = await register(body);
    expect([answer.status, answer.body, check.faults(operation, answer)]).toEqual([202, '', []]);
    expect((await app.client.get(`/v1/users/${body.username}`)).status).toBe(404);
    expectProblem(await logIn(body.username), 401, 'invalid_credentials');
    const [row] = (await waiting()).filter(({ username }: { username: string }) => username === body.username);
    expect(row).toMatchObject({ fullName: 'Mary Somerville', reason: 'I write about the stars.', provider: null });
    expect(JSON.stringify(row)).not.toContain('@');

    expect((await decide(row.id, true)).status).toBe(204);

    const signedIn = await logIn(body.email);
    expect([signedIn.status, signedIn.body.user?.id]).toEqual([200, row.id]);
    expect(await mailsTo(body.email)).toEqual(['Confirm your e-mail address', 'Your account was approved']);
    expectProblem(await decide(row.id, false), 404, 'sign_up_not_found');
    const log = await app.client.get(`/v1/admin/log?targetId=${row.id}`, { token: moderator.token });
    expect(log.body.data).toMatchObject([{ kind: 'approve_sign_up', targetKind: 'sign_up', actorId: moderator.id }]);
  });

  it('deletes what a rejected person sent, and frees name and address', async () => {
    const body = applicant();
    expect((await register(body)).status).toBe(202);
    expectProblem(await register({ ...body, email: 'other@example.org' }), 409, 'username_taken');
    expectProblem(await register({ ...body, username: 'other_name_1' }), 409, 'email_taken');
    const [row] = (await waiting()).slice(-1);

    expect((await decide(row.id, false)).status).toBe(204);

    expect(await waiting()).toEqual([]);
    expect(await mailsTo(body.email)).toEqual(['Your account was not approved']);
    expect((await register(body)).status).toBe(202);
  });

  it('refuses names and addresses of accounts, and admits with an invite at once', async () => {
    expectProblem(await register(applicant({ username: member.username })), 409, 'username_taken');
    expectProblem(await register(applicant({ email: member.email })), 409, 'email_taken');
    expect((await register(applicant({ invite: await codeOf() }))).status).toBe(201);
  });

  it('holds for a first sign-in with a provider, which waits once', async () => {
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await firstSignIn('waits')).get('error')).toBe('approval_pending');
    expect(await openCanvasSignIn()).toBe(`${SITE}/login?error=google_auth_failed`);
    const rows = (await waiting()).filter((row: { provider: string | null }) => row.provider === 'google');
    expect(rows).toHaveLength(2);

    expect((await decide(rows[0].id, true)).status).toBe(204);

    const code = (await firstSignIn('waits')).get('code');
    const { status, body } = await app.client.post('/v1/auth/exchange', { body: { code } });
    expect([status, body.user?.id, body.user?.isEmailVerified]).toEqual([200, rows[0].id, true]);
    expect(await mailsTo('waits@example.org')).toEqual(['Your account was approved']);
  });

  it('is decided once by two moderators at the same moment', async () => {
    expect((await register(applicant())).status).toBe(202);
    const { id } = (await waiting()).at(-1);
    const answers = await Promise.all([decide(id, true), decide(id, false, admin)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });
});
