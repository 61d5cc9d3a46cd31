import { signUp, TEST_PASSWORD } from '../support/accounts.js';
import { makeApiToken } from '../support/api-tokens.js';
import { type Pinned, pinToEach } from '../support/pinned.js';
import { scale } from '../support/scale.js';
import { useServer } from '../support/server.js';
import { until } from '../support/until.js';
import { VisibleChanges } from '../support/visible-changes.js';

const WORKERS = 2;

describe(`${WORKERS} web processes of one host`, () => {
  // An event invalidates a response, not its age.
  const server = useServer({ processes: WORKERS, environment: { CACHE_FEED_TTL_MS: '600000' } });
  let pinned: Pinned[];
  beforeAll(async () => {
    pinned = await pinToEach(server.url, WORKERS);
  });
  afterAll(() => {
    for (const { client } of pinned) client.close();
  });

  const statuses = (path: string, token?: string): Promise<number[]> =>
    Promise.all(pinned.map(async ({ client }) => (await client.send({ method: 'GET', path, token })).status));
  const both = (status: number): number[] => pinned.map(() => status);
  const untilRefused = (token: string) =>
    until(async () => (await statuses('/v1/auth/me', token)).every((status) => status === 401) || null);

  it('every process shows the change of another, and never the old state again', async () => {
    const changes = await VisibleChanges.at(server, server.url, WORKERS);
    for (let round = 0; round < scale('invalidationRounds'); round++) await changes.round(round);
    changes.close();
    expect(changes.relapses).toBe(0);
  });

  it('every process shows a profile soon after its registration', async () => {
    for (let round = 0; round < 5; round++) {
      const username = `not_yet_${round}`;
      expect(await statuses(`/v1/users/${username}`)).toEqual(both(404));
      await signUp(server.client, { username });
      await until(async () => (await statuses(`/v1/users/${username}`)).every((status) => status === 200) || null);
    }
  });

  it.each([
    ['a changed password', true, 'PUT', '/v1/auth/password'],
    ['signing out everywhere', false, 'DELETE', '/v1/auth/sessions'],
    ['ending that one sign-in', true, 'DELETE', '/v1/auth/sessions/:id'],
  ])('every process refuses a token after %s', async (_, keepsOwn, method, path) => {
    const me = '/v1/auth/me';
    for (let round = 0; round < 10; round++) {
      const account = await signUp(server.client);
      const login = { login: account.username, password: TEST_PASSWORD };
      const other = (await server.client.post('/v1/auth/login', { body: login })).body.accessToken as string;
      // Both processes have cached both tokens and do not look them up again.
      for (const token of [account.token, other]) expect(await statuses(me, token)).toEqual(both(200));
      const passwords = { currentPassword: TEST_PASSWORD, newPassword: 'a new password of mine' };
      const listed = (await server.client.get('/v1/auth/sessions', { token: other })).body.data as {
        id: string;
        isCurrent: boolean;
      }[];
      const { id } = listed.find(({ isCurrent }) => isCurrent)!;
      // Each round uses a different process, so that each must notify the other.
      const { status } = await pinned[round % WORKERS]!.client.send({
        method,
        path: path.replace(':id', id),
        token: account.token,
        ...(method === 'PUT' && { body: passwords }),
      });
      expect(status).toBe(204);
      await untilRefused(other);
      if (keepsOwn) expect(await statuses(me, account.token)).toEqual(both(200));
      else await untilRefused(account.token);
    }
  });

  it('every process refuses an API token that was revoked, and no other of the account', async () => {
    const account = await signUp(server.client);
    const revoked = await makeApiToken(server, account, ['profile']);
    const other = await makeApiToken(server, account, ['profile']);
    // Each process has looked the tokens up and cached them.
    for (const { token } of [revoked, other]) expect(await statuses('/v1/auth/me', token)).toEqual(both(200));
    const path = `/v1/auth/tokens/${revoked.id}`;
    const { status } = await pinned[0]!.client.send({ method: 'DELETE', path, token: account.token });
    expect(status).toBe(204);
    await untilRefused(revoked.token);
    expect(await statuses('/v1/auth/me', other.token)).toEqual(both(200));
  });
});
