import { connect } from 'node:net';
import { describeApi } from '../../src/api-document.js';
import { indexAll, useApp } from '../support/app.js';
import { askedAgain, isUnavailable } from '../support/repeated-requests.js';
import { ResponseCache } from '../../src/platform/cache/response-cache.js';
import { SECURITY_HEADERS } from '../../src/platform/http/response-headers.js';
import { RawClient } from '../support/raw-request.js';
import { operationsOf } from '../support/openapi.js';
import type { Person } from '../support/world.js';
import { validRequest } from './valid-request.js';
import { makeSubject, subjectOf } from './subjects.js';

const PLANTED = 'planted.example';

/** Headers with which an attacker would try to poison the cache. */
const UNKEYED: Record<string, string> = {
  'x-forwarded-host': PLANTED,
  'x-forwarded-proto': 'http',
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-prefix': `/${PLANTED}`,
  'x-original-url': `/v1/${PLANTED}`,
  'x-rewrite-url': `/v1/${PLANTED}`,
  'x-http-method-override': 'DELETE',
  'x-request-id': PLANTED,
  forwarded: `host=${PLANTED}`,
  host: PLANTED,
  origin: `https://${PLANTED}`,
  referer: `https://${PLANTED}/`,
  'accept-language': 'xx',
  accept: 'text/html',
  'user-agent': PLANTED,
};

describe('the public cache', () => {
  const app = useApp({ search: true });
  const { world } = app;
  const strict = useApp({ env: { HTTP_CORS_ORIGINS: 'https://a.example,https://b.example' } });
  let writer: Person;
  let paths: string[];
  const clients: RawClient[] = [];

  function raw(url: string): Pick<RawClient, 'send'> {
    const client = new RawClient(url);
    clients.push(client);
    return { send: (request) => askedAgain(() => client.send(request), isUnavailable) };
  }

  beforeAll(async () => {
    writer = await world.person();
    await world.post({ by: writer });
    await indexAll(app);
    paths = await cachedPaths();
    // Indexes everything now, so that no later indexing changes a response.
    await indexAll(app);
  });
  afterAll(() => clients.forEach(({ agent }) => agent.destroy()));

  it.each(Object.keys(UNKEYED))('stores no response of %s', async (name) => {
    const client = raw(app.url);
    const { store } = app.app.get(ResponseCache);
    for (const path of paths) {
      // This request fills the entry.
      store.clear();
      const filling = await client.send({ method: 'GET', path, headers: { [name]: UNKEYED[name]! } });
      expect(filling.headers.get('x-cache')).toBe('MISS');
      const answer = await client.send({ method: 'GET', path });
      expect(answer.headers.get('x-cache')).toBe('HIT');
      const { 'x-request-id': _, date: __, ...headers } = Object.fromEntries(answer.headers);
      expect(answer.status).toBe(200);
      expect(JSON.stringify({ headers, body: answer.body })).not.toContain(PLANTED);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['content-type']).toMatch(
        /^(?:application\/(?:atom\+xml|json|x-bibtex|xml)|text\/(?:html|plain))(?:;|$)/,
      );
    }
  });

  it('is tested here for every route that shares its responses', () => {
    const known = [
      '/feed',
      '/posts/',
      '/comments',
      `/users/${writer.username}`,
      '/posts',
      '/users/top',
      '/collections',
      '/series',
      '/v1/feeds/',
      `/v1/users/${writer.username}/feed.`,
      '/v1/tags/',
      '/meta',
      '/p/',
      '/sitemap.xml',
    ];
    expect(paths.length).toBeGreaterThanOrEqual(known.length);
    expect(known.filter((part) => !paths.some((path) => path.includes(part)))).toEqual([]);
  });

  /** Returns a path of every route of the document that shares its responses, and of every page of the site. */
  async function cachedPaths(): Promise<string[]> {
    const document = await describeApi();
    const found: string[] = [];
    for (const operation of operationsOf(document).filter(({ method }) => method === 'GET')) {
      const subject = subjectOf(operation.path);
      const target = await makeSubject(app, subject === 'public post' ? 'comment' : subject, writer);
      const { path } = validRequest(document, operation, { target, username: writer.username, refreshToken: '' });
      if ((await app.patient.get(path)).headers.has('x-cache')) found.push(path);
    }
    const { slug } = await world.post({ by: writer });
    const list = await world.collection({ by: writer });
    const pages = ['/hot', '/latest', '/tags/engines', `/p/${slug}`, `/u/${writer.username}`, '/search?q=engine'];
    return [...found, ...pages, `/collections/${list.slug}`];
  }

  it('is shared with signed-in readers, whose responses are private', async () => {
    const client = raw(app.url);
    const authorization = `Bearer ${writer.token}`;
    for (const path of paths) {
      app.app.get(ResponseCache).store.clear();
      const getWith = (headers: Record<string, string> = {}) => client.send({ method: 'GET', path, headers });
      const [first, visitor, signedIn] = [
        await getWith({ authorization }),
        await getWith(),
        await getWith({ authorization }),
      ];
      const states = [first, visitor, signedIn].map(({ headers }) => headers.get('x-cache'));
      expect([path, ...states]).toEqual([path, 'MISS', 'HIT', 'HIT']);
      expect([first, signedIn].map(({ headers }) => headers.get('cache-control'))).toEqual([
        'private, no-cache',
        'private, no-cache',
      ]);
      expect(visitor.headers.get('cache-control')).toMatch(/^public, /);
      expect([first.body, signedIn.body]).toEqual([visitor.body, visitor.body]);
      expect(signedIn.headers.get('etag')).toBe(visitor.headers.get('etag'));
    }
  });

  it('responds 401 to an invalid token on routes that read it', async () => {
    const post = await world.post({ by: writer });
    const path = `/v1/posts/${post.slug}`;
    expect((await app.client.get(path)).status).toBe(200);
    for (const authorization of ['Bearer x', `Bearer ${writer.token}x`, 'Basic YTpi', 'Bearer']) {
      const { status, headers } = await raw(app.url).send({ method: 'GET', path, headers: { authorization } });
      expect([authorization, status, headers.get('x-cache')]).toEqual([authorization, 401, null]);
    }
  });

  it('never shows a viewer the response of another one', async () => {
    const hidden = await world.post({ by: writer, isPublic: false });
    const path = `/v1/posts/${hidden.slug}`;
    for (let round = 0; round < 2; round++) {
      const { status, headers } = await app.client.get(path, { token: writer.token });
      expect([status, headers.get('x-cache'), headers.get('cache-control')]).toEqual([
        ...[200, 'BYPASS', 'private, no-cache'],
      ]);
      expect((await app.client.get(path)).status).toBe(404);
    }
  });

  it.each([
    ['a cache hit', 'GET', '/v1/feed', {}],
    ['a hit not modified', 'GET', '/v1/feed', { 'if-none-match': '*' }],
    ['an answer of the framework', 'GET', '/v1/users?ids=6650c3a2f1d2b3c4d5e6f708', {}],
    ['a refusal', 'GET', '/v1/feed?limit=0', {}],
    ['a route that needs a token', 'POST', '/v1/posts', {}],
    ['an address that is none', 'GET', '/nothing', {}],
    ['a broken address', 'GET', '/v1/users/%zz', {}],
    ['an address without an end', 'GET', `/v1/feed?${'a'.repeat(9_000)}`, {}],
    ['a broken body', 'POST', '/v1/auth/login', { 'content-type': 'application/json' }],
    ['health', 'GET', '/health/live', {}],
  ])('%s carries the security headers', async (_, method, path, headers) => {
    const client = raw(app.url);
    await client.send({ method: 'GET', path: '/v1/feed' });
    const body = method === 'POST' ? '{' : undefined;
    const answer = await client.send({ method, path, headers: headers, body });
    expect(Object.fromEntries(answer.headers)).toMatchObject(SECURITY_HEADERS);
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect(answer.headers.get('server')).toBeNull();
  });

  it.each([
    ['a malformed request', 'HELLO\r\n\r\n', 400, 'malformed_request'],
    [
      'a head without an end',
      `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('%s is refused in the same words as everything else', async (_, text, status, code) => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(text);
    let answer = '';
    for await (const chunk of socket) answer += String(chunk);
    const [head, body] = answer.split('\r\n\r\n') as [string, string];
    expect(head).toContain(`HTTP/1.1 ${status} `);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(head).toContain(`\r\n${name}: ${value}`);
    expect(JSON.parse(body)).toMatchObject({ status, code });
  });

  it('lets only the listed origins read, cache hits too', async () => {
    const client = raw(strict.url);
    const origins = [
      'https://a.example',
      'https://b.example',
      'https://evil.example',
      'https://a.example.evil.example',
      'null',
    ];
    // The second round gets cache hits.
    for (const round of ['MISS', 'HIT']) {
      for (const origin of origins) {
        const path = `/v1/feed?limit=${1 + origins.indexOf(origin)}`;
        const answer = await client.send({ method: 'GET', path, headers: { origin } });
        const allowed = answer.headers.get('access-control-allow-origin');
        const isListed = origin === 'https://a.example' || origin === 'https://b.example';
        expect([round, origin, allowed]).toEqual([round, origin, isListed ? origin : null]);
        expect(answer.headers.get('x-cache')).toBe(round);
        expect(answer.headers.get('vary')).toMatch(/Origin/);
      }
      // An entry for all origins must not contain the header of the first origin.
      const other = await client.send({ method: 'GET', path: '/v1/feed?limit=1', headers: { origin: origins[1]! } });
      expect(other.headers.get('access-control-allow-origin')).toBe(origins[1]);
    }
  });

  it('accepts a preflight from the listed origins only', async () => {
    const client = raw(strict.url);
    const preflight = (origin: string) =>
      client.send({
        method: 'OPTIONS',
        path: '/v1/posts',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      });
    const listed = await preflight('https://b.example');
    expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([204, 'https://b.example']);
    expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
  });
});
