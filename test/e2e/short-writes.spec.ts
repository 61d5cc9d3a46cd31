import { randomUUID } from 'node:crypto';
import { AccessTokenService } from '../../src/platform/http/access-token.service.js';
import { AdmissionControl } from '../../src/platform/http/admission.js';
import { ShortWrites } from '../../src/platform/http/short-writes.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { OWN_HEADERS } from '../support/own-headers.js';
import { insertPeople, type TestPerson } from '../support/people.js';
import { RawClient } from '../support/raw-client.js';
import { writeComment, writePost } from '../support/written.js';

/** Only events keep answers under a key; for everything else the header changes nothing but the way. */
const byTheFramework = (): Record<string, string> => ({ 'Idempotency-Key': randomUUID() });

type Sent = { method: string; path: string; body?: object | string; headers?: Record<string, string> };

const shortWrites = (app: TestApp): ShortWrites => app.app.get(ShortWrites, { strict: false });

const send = (app: TestApp, { method, path, body, headers = {} }: Sent): Promise<Response> =>
  fetch(app.url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });

/** The first answer of the framework teaches the short way what it adds; the second time is as the third. */
async function learn(app: TestApp, sent: Sent): Promise<void> {
  await send(app, { ...sent, headers: { ...sent.headers, 'x-request-id': 'first' } });
}

const settings: [string, Record<string, string>][] = [
  ['with limits', { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_WRITES_PER_MINUTE: '500' }],
  ['for some origins only', { HTTP_CORS_ORIGINS: 'https://example.com' }],
];

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe.each(settings)('the short way of plain writes, %s', (_name, overrides) => {
  const app = useApp(overrides);
  let me: TestPerson;
  let other: TestPerson;
  let postId: string;
  let commentId: string;
  const auth = (): Record<string, string> => ({ Authorization: `Bearer ${me.token}` });
  const headersOf = (answer: Response): [string, string][] =>
    [...answer.headers].filter(([name]) => !OWN_HEADERS.has(name)).sort(([a], [b]) => a.localeCompare(b));

  beforeAll(async () => {
    [me, other] = (await insertPeople(app, 2)) as [TestPerson, TestPerson];
    postId = (await writePost(app, other)).id;
    commentId = (await writeComment(app, other, postId)).id;
  });

  it.each<[string, () => Sent]>([
    ['a like', () => ({ method: 'PUT', path: `/v1/posts/${postId}/vote`, body: { value: 'like' }, headers: auth() })],
    ['no vote', () => ({ method: 'DELETE', path: `/v1/posts/${postId}/vote`, headers: auth() })],
    [
      'a vote on a comment',
      () => ({ method: 'PUT', path: `/v1/comments/${commentId}/vote`, body: { value: 'dislike' }, headers: auth() }),
    ],
    ['no vote on a comment', () => ({ method: 'DELETE', path: `/v1/comments/${commentId}/vote`, headers: auth() })],
    ['a save', () => ({ method: 'PUT', path: `/v1/posts/${postId}/save`, headers: auth() })],
    ['a save forgotten', () => ({ method: 'DELETE', path: `/v1/posts/${postId}/save`, headers: auth() })],
    ['a follow', () => ({ method: 'PUT', path: `/v1/users/${other.username}/follow`, headers: auth() })],
    ['a follow ended', () => ({ method: 'DELETE', path: `/v1/users/${other.username}/follow`, headers: auth() })],
    ['a view', () => ({ method: 'POST', path: `/v1/posts/${postId}/events`, body: { kind: 'view' }, headers: auth() })],
    ['a visitor’s read', () => ({ method: 'POST', path: `/v1/posts/${postId}/events`, body: { kind: 'read' } })],
  ])('answers %s exactly as the framework does', async (_what, sent) => {
    await learn(app, sent());
    const before = shortWrites(app).counts.answered;
    const short = await send(app, sent());
    expect(shortWrites(app).counts.answered).toBe(before + 1);
    const long = await send(app, { ...sent(), headers: { ...sent().headers, ...byTheFramework() } });
    expect(shortWrites(app).counts.answered).toBe(before + 1);
    expect([short.status, await short.text()]).toEqual([200, await long.text()]);
    expect(headersOf(short)).toEqual(headersOf(long));
    expect(short.headers.get('x-request-id')).toMatch(/^req-/);
    expect(short.headers.get('server-timing')).toMatch(/^total;dur=\d/);
  });

  it('stores what it acknowledges, and each caller gets its own answer', async () => {
    const { id } = await writePost(app, other);
    const people = await insertPeople(app, 20);
    const like = ({ token }: TestPerson): Sent => ({
      ...{ method: 'PUT', path: `/v1/posts/${id}/vote`, body: { value: 'like' } },
      headers: { Authorization: `Bearer ${token}` },
    });
    // a token is remembered by its first request
    await Promise.all(people.map((person) => send(app, like(person))));
    await Promise.all(people.map((person) => send(app, { ...like(person), method: 'DELETE', body: undefined })));
    const before = shortWrites(app).counts.answered;
    const answers = await Promise.all(people.map(async (person) => (await send(app, like(person))).json()));
    expect(shortWrites(app).counts.answered).toBe(before + 20);
    const counts = (answers as { stats: { likesCount: number } }[]).map(({ stats }) => stats.likesCount);
    expect(counts.sort((a, b) => a - b)).toEqual(people.map((_, index) => index + 1));
    expect(await app.db.collection('interactions').countDocuments({ value: 'like', userId: people[0]!._id })).toBe(1);
  });

  it.each<[string, () => Sent, number, string, failed: number]>([
    ['a vote of another kind', () => vote({ value: 'love' }), 400, 'invalid_input', 0],
    ['a field too many', () => vote({ value: 'like', weight: 2 }), 400, 'invalid_input', 0],
    ['no field', () => vote({}), 400, 'invalid_input', 0],
    ['a list', () => vote('[]'), 400, 'invalid_input', 0],
    ['no object', () => vote('null'), 400, 'invalid_input', 0],
    ['half an object', () => vote('{"value":'), 400, 'malformed_body', 0],
    ['a prototype', () => vote('{"__proto__":{"value":"like"}}'), 400, 'malformed_body', 0],
    ['no body', () => ({ ...vote({}), body: undefined }), 400, 'invalid_input', 0],
    [
      'another media type',
      () => vote({ value: 'like' }, { 'content-type': 'text/plain' }),
      415,
      'unsupported_media_type',
      0,
    ],
    [
      'a query',
      () => ({ ...vote({ value: 'like' }), path: `/v1/posts/${postId}/vote?now=1` }),
      400,
      'invalid_input',
      0,
    ],
    ['an id of another form', () => ({ ...vote({ value: 'like' }), path: '/v1/posts/17/vote' }), 400, 'invalid_id', 0],
    ['no credentials', () => ({ ...vote({ value: 'like' }), headers: {} }), 401, 'unauthorized', 0],
    ['a forged token', () => vote({ value: 'like' }, { Authorization: 'Bearer a.b.c' }), 401, 'invalid_token', 0],
    [
      'a post that is not there',
      () => ({ ...vote({ value: 'like' }), path: '/v1/posts/64b000000000000000000001/vote' }),
      404,
      'post_not_found',
      1,
    ],
    [
      'a save of it',
      () => ({ method: 'PUT', path: '/v1/posts/64b000000000000000000001/save', headers: auth() }),
      404,
      'post_not_found',
      1,
    ],
    [
      'somebody who is not there',
      () => ({ method: 'PUT', path: '/v1/users/nobody_at_all/follow', headers: auth() }),
      404,
      'user_not_found',
      1,
    ],
    [
      'oneself',
      () => ({ method: 'PUT', path: `/v1/users/${me.username}/follow`, headers: auth() }),
      400,
      'follow_self',
      1,
    ],
  ])('leaves %s to the framework', async (_what, sent, status, code, failed) => {
    const before = { ...shortWrites(app).counts };
    const answer = await send(app, sent());
    expect(shortWrites(app).counts).toEqual({ answered: before.answered, failed: before.failed + failed });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ code, status });
  });

  it('hands a body that comes in pieces to the framework, whole', async () => {
    const body = '{"value":"like"}';
    const before = shortWrites(app).counts.answered;
    const client = new RawClient(app.url);
    const head = `PUT /v1/posts/${postId}/vote HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${me.token}\r\n`;
    client.send(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    client.send(`${body.slice(5)}GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await client.closed;
    expect(client.answers().map(({ status }) => status)).toEqual([200, 200]);
    expect(JSON.parse(client.answers()[0]!.body)).toMatchObject({ targetId: postId, value: 'like' });
    expect(shortWrites(app).counts.answered).toBe(before);
  });

  it('keeps no place for a client that leaves before its body', async () => {
    const admission = app.app.get(AdmissionControl);
    const client = new RawClient(app.url);
    client.send(
      `PUT /v1/posts/${postId}/vote HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${me.token}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 16\r\n\r\n',
    );
    await until(() => admission.requestsInFlight === 1);
    client.socket.destroy();
    await until(() => admission.requestsInFlight === 0);
  });

  it('refuses the token of an account that has ended, as the framework does', async () => {
    const [gone] = (await insertPeople(app, 1)) as [TestPerson];
    const sent = vote({ value: 'like' }, { Authorization: `Bearer ${gone.token}` });
    expect((await send(app, sent)).status).toBe(200);
    expect((await send(app, sent)).status).toBe(200);
    app.app.get(AccessTokenService).revokeAccount(gone.id, Date.now() + 1_000);
    const answer = await send(app, sent);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([401, 'invalid_token']);
  });

  function vote(body: object | string, headers: Record<string, string> = {}): Sent {
    return { method: 'PUT', path: `/v1/posts/${postId}/vote`, body, headers: { ...auth(), ...headers } };
  }
});

describe('the short way of writes under a limit', () => {
  it('counts each request once and lets the framework refuse', async () => {
    const app = await startApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_WRITES_PER_MINUTE: '5' });
    try {
      const [author, me] = (await insertPeople(app, 2)) as [TestPerson, TestPerson];
      const { id } = await writePost(app, author);
      const sent: Sent = {
        method: 'PUT',
        path: `/v1/posts/${id}/save`,
        headers: { Authorization: `Bearer ${me.token}` },
      };
      const statuses: number[] = [];
      for (let times = 0; times < 6; times++) statuses.push((await send(app, sent)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      expect(shortWrites(app).counts.answered).toBe(4);
    } finally {
      await app.close();
    }
  });
});

describe('the short way of writes behind a proxy', () => {
  const app = useApp({ HTTP_TRUSTED_PROXIES: '127.0.0.1' });

  it('leaves forwarded requests to the framework, which knows whose they are', async () => {
    const [author, me] = (await insertPeople(app, 2)) as [TestPerson, TestPerson];
    const { id } = await writePost(app, author);
    const save = (headers: Record<string, string>): Promise<Response> =>
      send(app, {
        ...{ method: 'PUT', path: `/v1/posts/${id}/save` },
        headers: { Authorization: `Bearer ${me.token}`, ...headers },
      });
    await save({ 'X-Forwarded-For': '10.0.0.1' });
    await save({ 'X-Forwarded-For': '10.0.0.1' });
    expect(shortWrites(app).counts.answered).toBe(0);
    await save({});
    expect(shortWrites(app).counts.answered).toBe(1);
  });
});
