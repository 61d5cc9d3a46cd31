import { describeApi } from '../../src/api-document.js';
import { loadConfig } from '../../src/config/app-config.js';
import { MAX_CONTENT } from '../../src/posts/post-rules.js';
import { useApp } from '../support/app.js';
import { type Operation, operationsOf } from '../support/openapi.js';
import { RawClient } from '../support/raw-client.js';
import { RawClient as HttpClient } from '../support/raw-request.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;
let person: Person;
let http: HttpClient;
let operations: Operation[];

beforeAll(async () => {
  person = await world.person();
  http = new HttpClient(app.url);
  operations = operationsOf(await describeApi());
});
afterAll(() => http.agent.destroy());

const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends the bytes and reads the first response. */
async function exchange(head: string) {
  const client = new RawClient(app.url).send(head);
  const [answer] = await until(async () => (client.answers().length > 0 ? client.answers() : null));
  client.socket.destroy();
  const { status, body } = answer!;
  return { status, code: /^\{/.test(body) ? JSON.parse(body).code : undefined };
}

const sendHead = (method: string, path: string, headers: Record<string, string>, body?: string | Buffer) =>
  http.send({ method, path, headers: { authorization: `Bearer ${person.token}`, ...headers }, body });

describe('the head of a request', () => {
  const PATHS = ['/v1/feed', '/metrics', '/health/live', '/v1/nothing'];
  beforeAll(async () => {
    // The server also refuses a hit of the response cache.
    for (const path of PATHS) await app.client.get(path);
  });

  it.each([
    ['more than 200 headers', 'Host: x\r\n' + 'a: b\r\n'.repeat(200), 431, 'headers_too_large'],
    [
      'a thousand headers and the address of a client',
      'a:b\r\n'.repeat(1_000) + 'Host: x\r\nX-Forwarded-For: 192.0.2.1\r\n',
      431,
      'headers_too_large',
    ],
    ['two Host headers', 'Host: x\r\nHost: y\r\n', 400, 'malformed_request'],
    ['no Host header', '', 400, 'malformed_request'],
  ])('with %s is refused', async (_, headers, status, code) => {
    for (const path of PATHS)
      expect([path, await exchange(`GET ${path} HTTP/1.1\r\n${headers}\r\n`)]).toEqual([path, { status, code }]);
  });

  it('with 200 headers, or of HTTP/1.0 without Host, is accepted', async () => {
    const full = `GET /v1/feed HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(199)}\r\n`;
    expect((await exchange(full)).status).toBe(200);
    expect((await exchange('GET /v1/feed HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('in absolute form is that of the address in it', async () => {
    const { username } = person;
    for (const [target, status] of [
      [`http://a.example/v1/users/${username}`, 200],
      [`HTTPS://a.example:80/v1/users/${username}?`, 200],
      ['http://a.example', 200],
      ['http://a.example?x=1', 200],
      ['http://user@a.example/v1/feed', 400],
      ['ftp://a.example/v1/feed', 400],
    ] as const)
      expect([target, (await exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)).status]).toEqual([target, status]);
  });

  it('with a transfer coding other than chunked is refused', async () => {
    const head = 'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    for (const coding of ['gzip, chunked', 'chunked, chunked']) {
      const { status } = await exchange(`${head}Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
      expect([coding, status]).toEqual([coding, 400]);
    }
  });
});

describe('the body of a request', () => {
  it('is refused with the accepted types when curl sends it as a form', async () => {
    const answer = await fetch(`${app.url}/v1/auth/login`, {
      method: 'POST',
      body: new URLSearchParams({ login: 'ada_lovelace' }),
    });
    expect([answer.status, ((await answer.json()) as { detail: string }).detail]).toEqual([
      415,
      'Send the body as application/json, a file as multipart/form-data.',
    ]);
  });

  it('that is empty counts as missing, with any content type', async () => {
    const { id } = await world.post({ by: person });
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense']) {
      const headers = { 'content-type': type };
      const statuses = [
        await sendHead('PUT', `/v1/posts/${id}/save`, headers),
        await sendHead('DELETE', `/v1/posts/${id}/save`, headers),
        await sendHead('DELETE', `/v1/posts/${id}/save`, { ...headers, 'content-length': '0' }),
      ].map(({ status }) => status);
      expect([type, ...statuses]).toEqual([type, 200, 200, 200]);
    }
    const chunked = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
    expect((await sendHead('DELETE', `/v1/posts/${id}/save`, chunked)).status).toBe(200);
  });

  it('is required on every route with one: an empty one is 400 and names the body', async () => {
    const withBody = operations.filter(({ body }) => body !== undefined);
    expect(withBody.length).toBeGreaterThan(20);
    for (const { method, path, name } of withBody) {
      const { status, body } = await sendHead(method, path.replace(/\{\w+\}/g, 'a'.repeat(24)), JSON_TYPE);
      expect([name, status < 500, status === 415, body.code === 'malformed_body']).toEqual([name, true, false, false]);
    }
  });

  it.each([
    ['Latin-1', Buffer.from('{"title":"caf\xe9"}', 'latin1'), JSON_TYPE, 400, 'malformed_body'],
    ['half a character', Buffer.from([0x22, 0xe5, 0xad, 0x22]), JSON_TYPE, 400, 'malformed_body'],
    [
      'UTF-16',
      Buffer.from('{}', 'utf16le'),
      { 'content-type': 'application/json; charset=utf-16' },
      415,
      'unsupported_media_type',
    ],
    [
      'another charset',
      '{}',
      { 'content-type': 'application/json;charset="ISO-8859-1"' },
      415,
      'unsupported_media_type',
    ],
    ['text', '{}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['br', '{}', { ...JSON_TYPE, 'content-encoding': 'br' }, 415, 'unsupported_media_type'],
    ['gzip', '{}', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
  ] as const)('in %s is refused by every route with one', async (_, bytes, headers, status, code) => {
    for (const { method, path, name } of operations.filter(({ body }) => body !== undefined)) {
      const answer = await sendHead(method, path.replace(/\{\w+\}/g, 'a'.repeat(24)), headers, bytes);
      expect([name, answer.status, answer.body.code]).toEqual([name, status, code]);
    }
  });

  it('with a stated UTF-8 charset, or the identity encoding, is accepted', async () => {
    for (const headers of [
      { 'content-type': 'application/json; charset=UTF-8' },
      { 'content-type': 'application/json; charset="utf8"' },
      { ...JSON_TYPE, 'content-encoding': 'identity' },
    ])
      expect((await sendHead('POST', '/v1/drafts', headers, '{"title":"é"}')).body.title).toBe('é');
  });

  it('accepts the longest text, with every character escaped', async () => {
    const { bodyLimitBytes } = loadConfig({ AUTH_TOKEN_SECRET: 'x'.repeat(40) }).http;
    expect(bodyLimitBytes).toBeGreaterThan(12 * MAX_CONTENT + 100_000);
    for (const content of ['\\u6587'.repeat(175_000), '\\ud83d\\ude00'.repeat(MAX_CONTENT)]) {
      const { status } = await sendHead('POST', '/v1/drafts', JSON_TYPE, `{"content":"${content}"}`);
      expect(status).toBe(201);
    }
  });
});
