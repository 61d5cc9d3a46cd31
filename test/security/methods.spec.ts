import { METHODS } from 'node:http';
import { describeApi } from '../../src/api-document.js';
import { useApp } from '../support/app.js';
import { operationsOf } from '../support/openapi.js';
import { RawClient } from '../support/raw-request.js';

const operations = operationsOf(await describeApi());
const paths = [...new Set(operations.map(({ path }) => path))];
/** node:http passes these methods to the request listener. CONNECT has its own event. */
const ALL = METHODS.filter((method) => method !== 'CONNECT');
/** Methods of routes, and one that no route has. */
const USUAL = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];
/** The first path gets every method of node:http, because one handler refuses all of them. */
const refused = paths.map((path, at) => ({ path, methods: at === 0 ? ALL : USUAL }));

describe('a method that a path does not accept', () => {
  const app = useApp();
  let raw: RawClient;

  beforeAll(() => void (raw = new RawClient(app.url)));
  afterAll(() => raw.agent.destroy());

  it.each(refused)('gets 405 with Allow on $path', async ({ path, methods }) => {
    const address = path.replace('{username}', 'ada_lovelace').replace(/\{\w+\}/g, '6650c3a2f1d2b3c4d5e6f708');
    const taken = operations.filter((operation) => operation.path === path).map(({ method }) => method);
    const all = new Set(taken.includes('GET') ? [...taken, 'HEAD', 'OPTIONS'] : [...taken, 'OPTIONS']);
    const answered: Record<string, unknown> = {};
    for (const method of methods.filter((name) => !all.has(name))) {
      const { status, headers, body } = await raw.send({ method, path: address });
      const allow = headers.get('allow')?.split(', ') ?? [];
      const isSaid = method === 'HEAD' || body.code === 'method_not_allowed';
      if (status !== 405 || !isSaid || allow.join() !== [...all].sort().join()) answered[method] = { status, allow };
    }
    expect(answered).toEqual({});
  });

  it('is 405 on a path of its own, also where a parameter would match it', async () => {
    for (const [method, path, allow] of [
      ['GET', '/v1/users/me', 'DELETE, OPTIONS, PATCH'],
      ['PATCH', '/v1/posts/mine', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const answer = await raw.send({ method, path });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    }
  });

  it('is not in the Allow header of OPTIONS, with and without an origin', async () => {
    const preflight = { origin: 'https://example.org', 'access-control-request-method': 'PUT' };
    for (const headers of [{}, preflight]) {
      const answer = await raw.send({ method: 'OPTIONS', path: '/v1/posts/6650c3a2f1d2b3c4d5e6f708/vote', headers });
      expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'DELETE, OPTIONS, PUT']);
    }
  });

  it('is 404 on an unknown path', async () => {
    for (const method of ['TRACE', 'PUT', 'PROPFIND']) {
      const answer = await raw.send({ method, path: '/v1/nothing' });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('allow')).toBeNull();
    }
  });
});
