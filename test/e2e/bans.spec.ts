import { randomBytes } from 'node:crypto';
import { useApp } from '../support/app.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { queuedMails } from '../support/mails.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';

const app = useApp({
  env: { HTTP_TRUSTED_PROXIES: 'loopback' },
  direct: 'registers from addresses of its choice',
});
const { world } = app;
let moderator: Person;
let admin: Person;
let made = 0;

beforeAll(async () => {
  moderator = await world.person({ role: 'moderator' });
  admin = await world.person({ role: 'admin' });
});

/** Returns an address in a network (/24) that no other test uses. */
const newNetwork = (): string => `198.18.${(made += 1)}`;
const newName = (): string => `b${randomBytes(5).toString('hex')}`;
const register = (address: string, email?: string, fields: object = {}) => {
  const username = newName();
  const body = { username, email: email ?? `${username}@example.org`, password: TEST_PASSWORD, fullName: 'Mary' };
  const headers = { 'x-forwarded-for': address };
  return app.client.post('/v1/auth/register', { body: { ...body, ...fields }, headers });
};
const act = (kind: string, targetId: string, fields: object = {}) => {
  const body = { kind, targetKind: 'user', targetId, reasonCode: 'spam', publicReason: 'An advertisement.', ...fields };
  return app.client.post('/v1/moderation/actions', { token: moderator.token, body });
};
const idOf = async (answer: ReturnType<typeof register>): Promise<string> => (await answer).body.user.id;

describe('a ban', () => {
  it.each([
    ['another tag', 'mail+a@example.org', 'mail+b@example.org'],
    ['no tag', 'plain+a@example.org', 'plain@example.org'],
    ['dots of Gmail', 'first.last+x@gmail.com', 'f.irstlast@googlemail.com'],
  ])('reserves the mailbox: %s is refused as a taken address, until `lift`', async (_, email, other) => {
    const id = await idOf(register(newNetwork() + '.1', email));
    expect((await act('ban', id)).status).toBe(201);

    const refused = await register(newNetwork() + '.1', other);
    expectProblem(refused, 409, 'email_taken');
    const taken = await register(newNetwork() + '.1', email);
    expect(refused.body).toEqual({ ...taken.body, requestId: refused.body.requestId });

    expect((await act('lift', id)).status).toBe(201);
    expect((await register(newNetwork() + '.1', other)).status).toBe(201);
  });

  it('reserves the mailbox against a change of address, without telling', async () => {
    const id = await idOf(register(newNetwork() + '.1', 'change+a@example.org'));
    const { body } = await register(newNetwork() + '.1');
    await act('ban', id);

    const email = 'change+b@example.org';
    const change = { email, password: TEST_PASSWORD };
    const answer = await app.client.put('/v1/auth/email', { token: body.accessToken, body: change });

    expect(answer.status).toBe(202);
    const mails = (await queuedMails(app)).filter(({ to }) => to === email);
    expect(mails.map(({ subject }) => subject)).toEqual(['You already have an account']);
  });

  it('leaves the mailbox free when another restriction replaces it', async () => {
    const id = await idOf(register(newNetwork() + '.1', 'ends+a@example.org'));
    expect((await act('ban', id)).status).toBe(201);
    expectProblem(await register(newNetwork() + '.1', 'ends+b@example.org'), 409, 'email_taken');

    expect((await act('suspend', id)).status).toBe(201);
    expect((await register(newNetwork() + '.1', 'ends+b@example.org')).status).toBe(201);
  });

  it('with `includeNetwork`: registrations from the network wait for approval, until `lift`', async () => {
    const network = newNetwork();
    const id = await idOf(register(`${network}.7`));
    expect((await act('ban', id)).status).toBe(201);
    expect((await register(`${network}.8`)).status).toBe(201);

    const ban = await act('ban', id, { includeNetwork: true });
    expect([ban.status, ban.body.detail]).toEqual([201, 'bans the network']);
    expect((await register(`${network}.9`)).status).toBe(202);
    expect((await register(`::ffff:${network}.9`)).status).toBe(202);
    expect((await register(`${newNetwork()}.9`)).status).toBe(201);
    expectProblem(await act('ban', id, { includeNetwork: true }), 409, 'standing_unchanged');

    expect((await act('lift', id)).status).toBe(201);
    expect((await register(`${network}.9`)).status).toBe(201);
  });

  it('includes the /64 of IPv6, and the networks of open sessions', async () => {
    const { username, id } = (await register('2001:db8:1:2::a')).body.user;
    const network = newNetwork();
    const login = { login: username, password: TEST_PASSWORD };
    const headers = { 'x-forwarded-for': `${network}.3` };
    expect((await app.client.post('/v1/auth/login', { body: login, headers })).status).toBe(200);

    expect((await act('ban', id, { includeNetwork: true })).status).toBe(201);

    expect((await register('2001:db8:1:2:ffff::b')).status).toBe(202);
    expect((await register(`${network}.4`)).status).toBe(202);
    expect((await register('2001:db8:7:2::b')).status).toBe(201);
  });

  it('stores a hash of the network, which MongoDB deletes after 30 days', async () => {
    const id = await idOf(register(newNetwork() + '.1'));
    await act('ban', id, { includeNetwork: true, until: new Date(Date.now() + 90 * 86_400_000).toISOString() });
    const row = (await app.db.collection('account_networks').find().sort({ _id: -1 }).limit(1).toArray())[0]!;
    const days = (time: Date): number => Math.round((time.getTime() - Date.now()) / 86_400_000);
    expect([days(row['bannedUntil']), days(row['expiresAt'])]).toEqual([30, 30]);
    expect(JSON.stringify(row)).not.toMatch(/198\.18/);
  });

  it.each(['limit', 'suspend', 'warn'])('has no `includeNetwork` for %s', async (kind) => {
    const { id } = await world.person();
    expectProblem(await act(kind, id, { includeNetwork: true }), 400, 'invalid_input');
  });
});

describe('a rule for domains of e-mail addresses', () => {
  const createRule = (value: string, fields: object = {}) => {
    const rule = { kind: 'domain', value, action: 'reject', scope: ['email'], ...fields };
    return app.client.post('/v1/moderation/rules', { token: admin.token, body: rule });
  };

  it('refuses registrations and changes of address, of subdomains too, until it is deleted', async () => {
    const { body: account } = await register(newNetwork() + '.1');
    const { status, body: rule } = await createRule('Throwaway.example');
    expect(status).toBe(201);
    const change = (email: string) =>
      app.client.put('/v1/auth/email', { token: account.accessToken, body: { email, password: TEST_PASSWORD } });

    for (const email of ['a@throwaway.example', 'a@mx.THROWAWAY.example']) {
      const refused = await register(newNetwork() + '.1', email);
      const errors = [expect.objectContaining({ field: 'email' })];
      expectProblem(refused, 422, 'mail_domain_refused', { errors });
      expectProblem(await change(email), 422, 'mail_domain_refused', { errors });
    }
    expect((await register(newNetwork() + '.1', 'a@notthrowaway.example')).status).toBe(201);

    await app.client.delete(`/v1/moderation/rules/${rule.id}`, { token: admin.token });
    expect((await register(newNetwork() + '.1', 'b@throwaway.example')).status).toBe(201);
  });

  it('is only for domains, only rejects, and does not match texts', async () => {
    for (const fields of [{ kind: 'word', value: 'casino' }, { action: 'report' }, { isDryRun: true }])
      expectProblem(await createRule('refused.example', fields), 400, 'invalid_input');
    expect((await createRule('refused.example')).status).toBe(201);
    const post = { title: 'Notes', type: 'article', content: 'https://refused.example/a' };
    expect((await app.client.post('/v1/posts', { token: moderator.token, body: post })).status).toBe(201);
  });
});

describe('related accounts', () => {
  const related = (id: string, by = moderator) => app.client.get(`/v1/admin/users/${id}/related`, { token: by.token });

  it('have the mailbox or a network in common, with the reason and without addresses', async () => {
    const [home, other] = [newNetwork(), newNetwork()];
    const id = await idOf(register(`${home}.1`, 'related+a@example.org'));
    const both = await idOf(register(`${home}.2`, 'related+b@example.org'));
    const tagged = await idOf(register(`${other}.1`, 'related@example.org'));
    const neighbor = await idOf(register(`${home}.3`));
    await register(`${other}.2`);

    const { status, body } = await related(id);

    expect(status).toBe(200);
    const found = body.data.map(({ account, reasons }: any) => [account.id, reasons]);
    expect(found).toEqual([
      [neighbor, ['network']],
      [tagged, ['mailbox']],
      [both, ['mailbox', 'network']],
    ]);
    expect(JSON.stringify(body)).not.toMatch(/@|198\.18/);
  });
});
