import { join } from 'node:path';
import { useServer } from '../support/server.js';
import { ROOT } from '../support/spawned-host.js';
import { until } from '../support/until.js';

describe('a web process with a mistake of its own', () => {
  const server = useServer({
    processes: 2,
    environment: {
      MONGODB_SOCKET_TIMEOUT_MS: '2000',
      NODE_OPTIONS: `--max-old-space-size=192 --import ${join(ROOT, 'test/faults/fixtures/mistakes.mjs')}`,
    },
  });

  it.each([
    ['rejection', /a forgotten promise/],
    ['exception', /thrown where nobody catches/],
    ['timer', /thrown by a timer/],
    ['memory', /JavaScript heap out of memory/],
    ['lost-command', /A command on connection .* did not complete/],
  ])('says what was wrong, ends and is replaced: %s', async (mistake, message) => {
    const { host, url } = server;
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

  it('responds 500 with the id of the request to an error in a handler, and keeps running', async () => {
    const { host, url } = server;
    const before = host.readyWorkers('web').sort();
    // The server would not write this invalid row.
    await server.db.collection('users').insertOne({ username: 'broken_row', deletedAt: null });
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
