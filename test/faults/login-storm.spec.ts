import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { useServer } from '../support/server.js';
import { until } from '../support/until.js';
import { type HttpAnswer, HttpClient } from './suite/http-client.js';

/** Fewer than the requests that are always admitted. */
const STORM = 90;
/** Each web process hashes one password and queues the others of an unknown network. */
const ADMITTED = 25;
const PASSWORD = 'correct horse battery staple';

describe.each([1, 2])('a storm of logins on %i web processes', (processes) => {
  const server = useServer({
    processes,
    environment: { AUTH_HASH_CONCURRENCY: '1', PROCESS_LOW_PRIORITY: 'true', LOG_LEVEL: 'debug' },
  });
  let client: HttpClient;
  beforeAll(() => {
    // A new connection for each request reaches all processes.
    client = new HttpClient(server.url, false);
  });
  afterAll(() => client.close());

  const hashing = (): number[] =>
    server.host
      .processes()
      .filter(({ command }) => command.startsWith('opencanvas-hash'))
      .map(({ pid }) => pid);
  const attempt = (): Promise<HttpAnswer> =>
    client.send({ method: 'POST', path: '/v1/auth/login', body: { login: 'nobody_here', password: PASSWORD } });
  /** Waits until each web process has a hash process. */
  const untilAllHash = () =>
    until(async () => {
      expect((await attempt()).status).toBe(401);
      const pids = hashing();
      return pids.length === processes ? pids : null;
    });

  it('is refused beyond a bound, and reads continue', async () => {
    const pids = await untilAllHash();
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const refused: HttpAnswer[] = [];
    const storm = Array.from({ length: STORM }, async () => {
      const response = await attempt();
      if (response.status === 503) refused.push(response);
      return response;
    });
    try {
      await until(() => refused.length >= STORM - ADMITTED * processes || null);
      for (let turn = 0; turn < 20; turn++)
        for (const path of ['/v1/feed?limit=10', '/health/live'])
          expect([path, (await server.client.get(path)).status]).toEqual([path, 200]);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    const statuses = (await Promise.all(storm)).map(({ status }) => status);
    // The server really checked the other logins.
    expect(statuses.filter((status) => status === 401)).toHaveLength(STORM - refused.length);
    expect(refused.length).toBeLessThan(STORM);
    for (const { text, headers } of refused)
      expect([(JSON.parse(text) as { code: string }).code, headers['retry-after']]).toEqual(['overloaded', '2']);
    expect(server.host.output).not.toContain(PASSWORD);
  });

  it('is hashed at the lowest priority, and no process has a password as argument', async () => {
    for (const pid of await untilAllHash()) {
      await until(() => getPriority(pid) === 19 || null);
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(PASSWORD);
    }
    expect(getPriority(server.host.pid)).toBe(getPriority(0));
  });

  it('continues after the hash processes were killed', async () => {
    const pids = await untilAllHash();
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await until(() => !hashing().some((pid) => pids.includes(pid)) || null);
    expect((await attempt()).status).toBe(401);
  });

  it('leaves no hash process behind when the server is killed', async () => {
    await untilAllHash();
    server.host.signal('SIGKILL');
    await server.host.untilGone();
  });
});
