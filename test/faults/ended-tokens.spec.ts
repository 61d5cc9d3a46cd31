import { signUp, TEST_PASSWORD } from '../support/accounts.js';
import { makeApiToken } from '../support/api-tokens.js';
import { type Pinned, pinToEach } from '../support/pinned.js';
import { useServed } from '../support/served.js';
import { until } from '../support/until.js';

const WORKERS = 2;

describe(`tokens that ended, in ${WORKERS} web processes`, () => {
  const served = useServed({ HTTP_WORKERS: String(WORKERS) });
  let pinned: Pinned[];

  beforeAll(async () => {
    pinned = await pinToEach(served.url, WORKERS);
  });
  afterAll(() => {
    for (const { client } of pinned) client.close();
  });

  const statuses = (token: string): Promise<number[]> =>
    Promise.all(
      pinned.map(async ({ client }) => (await client.send({ method: 'GET', path: '/v1/auth/me', token })).status),
    );

  /** With the answer; a process that is slow to say that it has heard is not waited for longer than 100 ms. */
  const untilRefused = (token: string) =>
    until(async () => ((await statuses(token)).every((status) => status === 401) ? true : null));

  it.each([
    ['a changed password', true, 'PUT', '/v1/auth/password'],
    ['signing out everywhere', false, 'DELETE', '/v1/auth/sessions'],
    ['ending that one sign-in', true, 'DELETE', '/v1/auth/sessions/:id'],
  ])('are refused by every process after %s', async (_, keepsOwn, method, path) => {
    for (let round = 0; round < 10; round++) {
      const account = await signUp(served.client);
      const login = { login: account.username, password: TEST_PASSWORD };
      const other = (await served.client.post('/v1/auth/login', { body: login })).body.accessToken as string;
      // both have seen both: neither looks them up anew
      for (const token of [account.token, other]) expect(await statuses(token)).toEqual([200, 200]);
      const body =
        method === 'PUT' ? { currentPassword: TEST_PASSWORD, newPassword: 'a new password of mine' } : undefined;
      const listed = (await served.client.get('/v1/auth/sessions', { token: other })).body.data as {
        id: string;
        isCurrent: boolean;
      }[];
      const id = listed.find(({ isCurrent }) => isCurrent)!.id;
      // each process in turn, so that each is the one that hears of it from another
      const { client } = pinned[round % WORKERS]!;
      const answer = await client.send({
        method,
        path: path.replace(':id', id),
        token: account.token,
        ...(body ? { body } : {}),
      });
      expect(answer.status).toBe(204);
      await untilRefused(other);
      if (keepsOwn) expect(await statuses(account.token)).toEqual([200, 200]);
      else await untilRefused(account.token);
    }
  });

  it('are refused by every process when they are API tokens that were revoked, and the others of the account are not', async () => {
    const account = await signUp(served.client);
    const [revoked, other] = [
      await makeApiToken(served, account, ['profile']),
      await makeApiToken(served, account, ['profile']),
    ];
    // looked up by each process, and kept
    for (const { token } of [revoked, other]) expect(await statuses(token)).toEqual([200, 200]);
    const answer = await pinned[0]!.client.send({
      method: 'DELETE',
      path: `/v1/auth/tokens/${revoked.id}`,
      token: account.token,
    });
    expect(answer.status).toBe(204);
    await untilRefused(revoked.token);
    expect(await statuses(other.token)).toEqual([200, 200]);
  });
});
