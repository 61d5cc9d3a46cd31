import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { useApp } from '../support/app.js';
import type { Answer } from '../support/client.js';
import { RawClient } from '../support/raw-request.js';
import type { Person } from '../support/world.js';
import { SPELLINGS } from './addresses.js';

const STATUS = { refused: 400, nothing: 404 };

/** Cache, limits and guards must see one resource where the router does, for every spelling of its URL. */
describe('a URL in another spelling', () => {
  // The limit allows one more request after 30 s, and the attempts take less.
  const PER_MINUTE = 2;
  const ATTEMPTS = 8;
  const app = useApp({
    env: {
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_AUTH_PER_MINUTE: String(PER_MINUTE),
      RATE_LIMIT_READS_PER_MINUTE: '1000000',
      RATE_LIMIT_WRITES_PER_MINUTE: '1000000',
      HTTP_TRUSTED_PROXIES: '127.0.0.1',
      // Cached responses stay fresh until the end of the test.
      CACHE_FEED_TTL_MS: '600000',
    },
  });
  const { world } = app;
  let raw: RawClient;
  let author: Person;
  beforeAll(async () => {
    author = await world.person();
    await world.post({ by: author });
    raw = new RawClient(app.url);
  });
  afterAll(() => raw.agent.destroy());

  const get = (path: string): Promise<Answer> => raw.send({ method: 'GET', path });

  it('is tested in fifty of them here', () => {
    expect(SPELLINGS.length).toBeGreaterThan(50);
    expect(new Set(SPELLINGS.map(({ of }) => of('/v1/auth/register'))).size).toBe(SPELLINGS.length);
  });

  describe.each(['/v1/auth/register', '/v1/auth/login', '/v1/auth/password-reset'])('%s', (path) => {
    it.each(SPELLINGS)('cannot avoid the limit: $title', async ({ of, is, title }) => {
      const address = `10.${path.length}.0.${SPELLINGS.findIndex((other) => other.title === title)}`;
      const answers: Answer[] = [];
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
        answers.push(await raw.send({ method: 'POST', path: of(path), headers, body: '{}' }));
      }
      const handled = answers.filter(({ body }) => body.errors !== undefined).length;
      const statuses = [...new Set(answers.map(({ status }) => status))];
      if (is === 'same') expect([handled, statuses]).toEqual([PER_MINUTE, [400, 429]]);
      else expect([handled, statuses]).toEqual([0, [STATUS[is]]]);
      for (const { headers } of answers) expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    });
  });

  describe('has one cached response', () => {
    const store = () => app.app.get(ResponseCache).store;

    it.each(['/v1/feed', '/v1/users/top'])('of %s, whatever its path looks like', async (path) => {
      const plain = await get(path);
      const { size } = store();
      for (const { of, is, title } of SPELLINGS) {
        for (let round = 0; round < 2; round++) {
          const { status, body } = await get(of(path));
          if (is === 'same') expect([title, status, body]).toEqual([title, 200, plain.body]);
          else expect([title, status]).toEqual([title, STATUS[is]]);
        }
        // The URL index does not contain a rejected URL either.
        if (is !== 'same') expect([title, store().getByUrl(of(path))]).toEqual([title, undefined]);
      }
      expect(store().size).toBe(size);
    });

    it.each<[query: string, status: number]>([
      ['limit=7&', 200],
      ['&limit=7', 200],
      ['limit=7&sort=hot', 200],
      ['sort=hot&limit=7', 200],
      ['window=all&limit=7&sort=hot', 200],
      ['lim%69t=7', 400],
      ['limit=%37', 400],
      ['limit=7&sort=%68ot', 400],
      ['limit=7&sort=h%6ft', 400],
      ['limit=7#', 400],
      ['limit=07', 400],
      ['limit=+7', 400],
      ['limit=7+', 400],
      ['limit=%207', 400],
      ['limit=7.0', 400],
      ['limit=7e0', 400],
      ['limit=7%00', 400],
      ['limit=7%26', 400],
      ['limit%3D7', 400],
      ['limit=7;', 400],
      ['?limit=7', 400],
      ['limit=7?', 400],
      ['LIMIT=7', 400],
      ['limit=7&limit=7', 400],
      ['limit[]=7', 400],
      ['limit=7&cursor=', 400],
      ['limit=7&tag=', 400],
      ['limit=7&author=', 400],
      ['limit=7&type=', 400],
      ['limit=7&sort=', 400],
      ['limit=', 400],
    ])('of a page of the feed, whatever its query looks like: %s', async (query, status) => {
      const plain = await get('/v1/feed?limit=7');
      const { size } = store();
      for (let round = 0; round < 2; round++) {
        const answer = await get(`/v1/feed?${query}`);
        expect(answer.status).toBe(status);
        if (status === 200) expect(answer.body).toEqual(plain.body);
        expect((await get('/v1/feed?limit=7')).headers.get('x-cache')).toBe('HIT');
      }
      expect(store().size).toBe(size);
    });

    it('for a profile and its posts, in any case of the name', async () => {
      const { username } = author;
      for (const rest of ['', '/posts']) {
        const plain = await get(`/v1/users/${username}${rest}`);
        const { size } = store();
        for (const name of [username.toUpperCase(), username[0]!.toUpperCase() + username.slice(1)]) {
          const { status, headers, body } = await get(`/v1/users/${name}${rest}`);
          expect([status, headers.get('x-cache'), body]).toEqual([200, 'HIT', plain.body]);
        }
        expect(store().size).toBe(size);
      }
    });
  });

  describe('rejects unknown parameters', () => {
    const QUERIES = [
      'constructor=1',
      'toString=1',
      'surprise=1',
      '%63onstructor=1',
      'constructor%5B%5D=1',
      'constructor',
    ];

    it.each(['/v1/feed', '/v1/users/top', 'profile', 'follow'])('at %s', async (which) => {
      const path = { profile: `/v1/users/${author.username}`, follow: `/v1/users/${author.id}/follow` }[which] ?? which;
      const isWrite = which === 'follow';
      for (const { of, title } of SPELLINGS) {
        for (const query of QUERIES) {
          const written = of(path);
          const { status, body } = await raw.send({
            method: isWrite ? 'DELETE' : 'GET',
            path: written + (written.includes('?') ? '&' : '?') + query,
            headers: isWrite ? { authorization: `Bearer ${author.token}` } : {},
          });
          expect([title, query, [400, 404].includes(status), body.code]).toEqual([
            ...[title, query, true],
            expect.stringMatching(/^(invalid_input|malformed_request|not_found|user_not_found)$/),
          ]);
          if (title === 'as it is') expect([status, body.code]).toEqual([400, 'invalid_input']);
        }
      }
    });
  });

  it.each([
    ['/v1/feed?limit=7&tag=caf%C3%A9', 200],
    ['/v1/feed?limit=7&tag=caf%c3%a9', 200],
    ['/v1/feed?tag=sci%2Dfi', 200],
    ['/v1/feed?tag=a%7Eb', 400],
    ['/v1/feed?tag=a+b', 400],
    ['/v1/users?ids=6650c3a2f1d2b3c4d5e6f708%2C6650c3a2f1d2b3c4d5e6f709', 200],
    ['/health/live?', 200],
    ['/health/live?from=balancer', 200],
  ])('is understood where clients and proxies do write it: %s', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it('keeps the connection usable, also after a body', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(100_000) });
    const headers = { 'content-type': 'application/json' };
    const refused = await raw.send({ method: 'POST', path: '/v1/auth/%6cogin', headers, body });
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      ...[400, 'invalid_input', 'A path must not percent-encode letters, digits, hyphens, dots, _ and ~.'],
    ]);
    expect(refused.headers.get('connection')).toBe('keep-alive');
    expect((await raw.send({ method: 'HEAD', path: '//v1/feed' })).status).toBe(400);
    expect((await get('/v1/feed')).status).toBe(200);
  });
});
