import { join } from 'node:path';
import { useServer } from '../support/server.js';
import { ROOT } from '../support/spawned-host.js';
import { until } from '../support/until.js';

type Line = Record<'time' | 'level' | 'role' | 'host' | 'message', string> & {
  context?: string;
  requestId?: string;
  stack?: string;
};

describe('The log of a server with LOG_FORMAT=json', () => {
  const server = useServer({
    processes: 2,
    jobs: true,
    environment: {
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'debug',
      // no request of this spec is slow
      LOG_SLOW_REQUEST_MS: '600000',
      HTTP_WORKER: '1',
      NODE_OPTIONS: `--import ${join(ROOT, 'test/faults/fixtures/mistakes.mjs')}`,
    },
  });
  const lines = () =>
    server.host.output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const untilLine = (isWanted: (line: Line) => boolean) => until(() => lines().find(isWanted) ?? null);

  it('names the request of a line, at LOG_LEVEL=debug one for each', async () => {
    await server.client.get('/v1/users/nobody_here?secret=1', { headers: { 'x-request-id': 'asked-1' } });

    const line = await untilLine(({ requestId }) => requestId === 'asked-1');

    expect(line).toMatchObject({ level: 'debug', role: 'web', context: 'Request' });
    expect(line.message).toMatch(/^GET \/v1\/users\/:username 400 \d+\.\d ms$/);
  });

  it('warns of a misspelled variable', async () => {
    const line = await untilLine(({ message }) => message.startsWith('HTTP_WORKER is not a setting'));

    expect(line).toMatchObject({ level: 'warn', role: 'primary' });
  });

  it('names the request of an error in a handler, with its stack', async () => {
    // The server would not write this invalid row.
    await server.db.collection('users').insertOne({ username: 'broken_row', deletedAt: null });
    await server.client.get('/v1/users/broken_row', { headers: { 'x-request-id': 'asked-2' } });

    const line = await untilLine(({ requestId, level }) => requestId === 'asked-2' && level === 'error');

    expect(line).toMatchObject({ role: 'web', context: 'Problem' });
    expect(line.stack).toMatch(/\n +at .+:\d+:\d+/);
  });

  it('has an exception that ended a process, and the reaction of the primary', async () => {
    await fetch(`${server.url}/mistake/exception`).catch(() => undefined);

    const line = await untilLine(({ level }) => level === 'fatal');

    expect(line).toMatchObject({ role: 'web', message: 'thrown where nobody catches' });
    await untilLine(({ role, message }) => role === 'primary' && /ended with code 1;/.test(message));
  });

  it('contains only JSON until the server has stopped, with time, level, role and host', async () => {
    server.host.signal('SIGTERM');
    expect(await server.host.exit()).toBe(0);

    const all = lines();

    for (const { time, level, role, host, message } of all) {
      expect(new Date(time).toISOString()).toBe(time);
      expect(['debug', 'info', 'warn', 'error', 'fatal']).toContain(level);
      expect(['primary', 'web', 'jobs', 'writer']).toContain(role);
      expect([typeof host, typeof message]).toEqual(['string', 'string']);
    }
    expect([...new Set(all.map(({ role }) => role))].sort()).toEqual(['jobs', 'primary', 'web', 'writer']);
  });
});
