import { join } from 'node:path';
import { useDatabase } from '../support/mongo.js';
import { ensureBuilt, ROOT, SpawnedHost } from '../support/spawned-host.js';
import { until } from '../support/until.js';

describe('mistakes of our own', () => {
  const database = useDatabase();
  let host: SpawnedHost;
  let url: string;

  beforeAll(async () => {
    ensureBuilt();
    host = new SpawnedHost('dist/src/main.js', {
      MONGODB_URI: database.uri,
      MONGODB_DATABASE: database.dbName,
      AUTH_TOKEN_SECRET: 'x'.repeat(40),
      MONGODB_SOCKET_TIMEOUT_MS: '2000',
      NODE_OPTIONS: `--max-old-space-size=192 --import ${join(ROOT, 'test/faults/fixtures/mistakes.mjs')}`,
    });
    host.start();
    url = await host.url();
  });
  afterAll(() => host.remove());

  it.each([
    ['rejection', /a forgotten promise/],
    ['exception', /thrown where nobody catches/],
    ['timer', /thrown by a timer/],
    ['memory', /JavaScript heap out of memory/],
    ['lost-command', /A command on connection .* is neither answered nor refused/],
  ])('a mistake (%s) ends its process with what was wrong, and another takes its place', async (mistake, message) => {
    const before = host.readyWorkers('web');
    await fetch(`${url}/mistake/${mistake}`).catch(() => undefined);
    await host.untilOutput(message);
    await until(() => {
      const now = host.readyWorkers('web');
      return now.length === 2 && now.some((pid) => !before.includes(pid)) ? true : null;
    });
    expect(host.readyWorkers('web').filter((pid) => before.includes(pid))).toHaveLength(1);
    expect((await fetch(`${url}/v1/feed?limit=1`)).status).toBe(200);
  });

  it('an error in a handler answers that request with 500 and its id, and the process lives on', async () => {
    const before = host.readyWorkers('web').sort();
    // a row that no code of ours would write
    await database.db.collection('users').insertOne({ username: 'broken_row', deletedAt: null });
    const answer = await fetch(`${url}/v1/users/broken_row`);
    expect(answer.status).toBe(500);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const problem = (await answer.json()) as { code: string; requestId: string; detail: string };
    expect(problem.code).toBe('internal_error');
    expect(host.output).toContain(problem.requestId);
    expect(problem.detail).not.toMatch(/TypeError|undefined|stack/);
    expect(host.readyWorkers('web').sort()).toEqual(before);
  });
});
