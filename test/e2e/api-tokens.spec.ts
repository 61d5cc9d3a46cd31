import { ObjectId } from 'mongodb';
import { AccountsService } from '../../src/auth/accounts.service.js';
import { useApp } from '../support/app.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { plansOf } from '../support/plans.js';
import { expectProblem } from '../support/problem.js';
import { until } from '../support/until.js';

const app = useApp();
const { world } = app;

const statusOf = async (token: string) => (await app.client.get('/v1/auth/me', { token })).status;
const list = async (token: string) => (await app.client.get('/v1/auth/tokens', { token })).body.data;
const make = (token: string, body: object) =>
  app.patient.post('/v1/auth/tokens', { token, body: { password: TEST_PASSWORD, ...body } });
async function setRole(id: string, role: 'user' | 'moderator'): Promise<void> {
  await app.app.get(AccountsService).setRole(new ObjectId(id), role);
  await app.untilDelivered();
}

describe('an API token', () => {
  it('is shown once and stored as its hash', async () => {
    const account = await world.person({ overHttp: true });
    const body = { name: 'backup', scopes: ['read'], expiresAt: '2099-12-31T00:00:00Z' };
    const made = await make(account.token, body);
    expect(made.status).toBe(201);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const { token, ...shown } = made.body;
    expect(token).toMatch(/^oca_[\w-]{43}$/);
    expect(shown).toMatchObject({ ...body, expiresAt: '2099-12-31T00:00:00.000Z', lastUsedAt: null });
    expect(await list(account.token)).toEqual([shown]);
    const rows = await app.db.collection('api_tokens').find().toArray();
    expect(JSON.stringify(rows)).not.toContain(token.slice(4));
  });

  it('acts for its account as far as its scopes go', async () => {
    const account = await world.person({ overHttp: true });
    const { token } = await world.apiToken({ by: account, scopes: ['posts', 'read'] });
    const body = { title: 'By a program', content: 'Written by a program.', type: 'article', isPublic: false };
    const post = await app.client.post('/v1/posts', { token, body });
    expect([post.status, post.body.author.id]).toEqual([201, account.id]);
    // The post is hidden, so only its author can read it.
    expect((await app.client.get(`/v1/posts/${post.body.id}`, { token })).status).toBe(200);
    const refused = await app.client.put(`/v1/posts/${post.body.id}/save`, { token });
    expectProblem(refused, 403, 'insufficient_scope');
    expect(refused.body.detail).toContain('`interactions`');
  });

  it('without `read` sees the same as a visitor', async () => {
    const account = await world.person({ overHttp: true });
    const { token } = await world.apiToken({ by: account, scopes: ['posts'] });
    const body = { title: 'A draft', content: 'Not yet.', type: 'article', isPublic: false };
    const post = await app.client.post('/v1/posts', { token, body });
    expect((await app.client.get(`/v1/posts/${post.body.id}`, { token })).status).toBe(404);
  });

  it('is looked up at its first use, and then served from the cache like an access token', async () => {
    const author = await world.person();
    const post = await world.post({ by: author });
    const account = await world.person({ overHttp: true });
    const { token } = await world.apiToken({ by: account, scopes: ['read'] });
    const path = `/v1/posts/${post.slug}`;
    await app.client.get(path);
    expect((await app.client.get(path)).headers.get('x-cache')).toBe('HIT');
    const plans = await plansOf(app, async () => {
      for (let round = 0; round < 3; round++) {
        const answer = await app.client.get(path, { token });
        expect([answer.status, answer.headers.get('x-cache')]).toEqual([200, 'HIT']);
        expect(answer.headers.get('cache-control')).toContain('private');
      }
    });
    // Reads the token, its account and its credential once each.
    expect(plans.map(({ docsExamined }) => docsExamined)).toEqual([1, 1, 1]);
    for (const { plan } of plans) expect(plan).toMatch(/^(IXSCAN|IDHACK)/);
    const [{ createdAt, lastUsedAt }] = await list(account.token);
    expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
    const unknown = `oca_${'x'.repeat(43)}`;
    const refused = await app.client.get(path, { token: unknown });
    expectProblem(refused, 401, 'invalid_token');
  });

  it('is revoked with the response, unlike other tokens', async () => {
    const [account, stranger] = [await world.person({ overHttp: true }), await world.person({ overHttp: true })];
    const revoked = await world.apiToken({ by: account, scopes: ['profile'] });
    const other = await world.apiToken({ by: account, scopes: ['profile'] });
    expect([await statusOf(revoked.token), await statusOf(other.token)]).toEqual([200, 200]);
    const path = `/v1/auth/tokens/${revoked.id}`;
    const notTheirs = await app.client.delete(path, { token: stranger.token });
    expectProblem(notTheirs, 404, 'api_token_not_found');
    expect((await app.client.delete(path, { token: account.token })).status).toBe(204);
    expect([await statusOf(revoked.token), await statusOf(other.token)]).toEqual([401, 200]);
    expect((await app.client.delete(path, { token: account.token })).status).toBe(404);
    expect(await list(account.token)).toMatchObject([{ id: other.id }]);
  });

  it('expires, even if it was used recently', async () => {
    const account = await world.person({ overHttp: true });
    const expiresAt = new Date(Date.now() + 8_000).toISOString();
    const { token } = await world.apiToken({ by: account, scopes: ['profile'], expiresAt });
    expect(await statusOf(token)).toBe(200);
    await until(async () => ((await statusOf(token)) === 401 ? true : null));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    expect(await list(account.token)).toEqual([]);
  });

  it.each(['2026-01-01T00:00:00Z', '2000-02-29T00:00:00+01:00'])('is not made to expire at %s', async (expiresAt) => {
    const account = await world.person({ overHttp: true });
    const body = { name: 'too late', scopes: ['read'], expiresAt };
    const answer = await make(account.token, body);
    expectProblem(answer, 400, 'invalid_expiry');
    expect(answer.body.errors).toMatchObject([{ field: 'expiresAt' }]);
  });

  it.each([
    ['no scope', { scopes: [] }],
    ['a scope twice', { scopes: ['read', 'read'] }],
    ['the scope of no token', { scopes: ['account'] }],
    ['an unknown scope', { scopes: ['everything'] }],
    ['no name', { name: '' }],
    ['a day that no calendar has', { expiresAt: '2099-02-30T00:00:00Z' }],
    ['a day for a time', { expiresAt: '2099-01-01' }],
    ['another account', { userId: '6650c3a2f1d2b3c4d5e6f70b' }],
  ])('is not made with %s', async (_, change) => {
    const account = await world.person({ overHttp: true });
    const body = { name: 'a name', scopes: ['read'], ...change };
    expect((await make(account.token, body)).status).toBe(400);
  });

  it('is limited to twenty, also for concurrent creations', async () => {
    const account = await world.person({ overHttp: true });
    for (let made = 0; made < 18; made++) await world.apiToken({ by: account, scopes: ['read'] });
    const body = { name: 'one more', scopes: ['read'] };
    const more = Array.from({ length: 4 }, () => make(account.token, body));
    const answers = await Promise.all(more);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const [first] = await list(account.token);
    await app.client.delete(`/v1/auth/tokens/${first.id}`, { token: account.token });
    expect((await make(account.token, body)).status).toBe(201);
    expect(await list(account.token)).toHaveLength(20);
  });

  it('is revoked with its account', async () => {
    const account = await world.person({ overHttp: true });
    const { token } = await world.apiToken({ by: account, scopes: ['profile'] });
    expect(await statusOf(token)).toBe(200);
    await app.client.delete('/v1/users/me', { token: account.token, body: { password: TEST_PASSWORD } });
    expect(await statusOf(token)).toBe(401);
    expect(await app.db.collection('api_tokens').countDocuments({ userId: new ObjectId(account.id) })).toBe(0);
  });

  it('reads as a moderator only with the scope `moderation`, and is revoked when the role becomes a lower one', async () => {
    const account = await world.person({ overHttp: true });
    await setRole(account.id, 'moderator');
    const author = await world.person();
    const hidden = await world.post({ by: author, isPublic: false });
    const statusOfHidden = async (token: string) => (await app.client.get(`/v1/posts/${hidden.id}`, { token })).status;
    const plain = await world.apiToken({ by: account, scopes: ['read', 'profile'] });
    const moderating = await world.apiToken({ by: account, scopes: ['read', 'profile', 'moderation'] });
    expect([await statusOfHidden(plain.token), await statusOfHidden(moderating.token)]).toEqual([404, 200]);
    await setRole(account.id, 'user');
    expect([await statusOfHidden(moderating.token), await statusOf(plain.token)]).toEqual([401, 401]);
  });
});
