import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { until } from '../support/until.js';
import { useServed } from '../support/served.js';

describe.each([1, 2])('a storm of logins on %i web processes', (workers) => {
  const served = useServed({
    HTTP_WORKERS: String(workers),
    AUTH_HASH_CONCURRENCY: '1',
    // dear enough that the storm is far more than can be hashed
    AUTH_ARGON2_MEMORY_KIB: '65536',
    AUTH_ARGON2_ITERATIONS: '3',
    LOG_LEVEL: 'debug',
    // what is refused here is refused by the queue of hashes, however slow the machine is
    HTTP_MAX_EVENT_LOOP_DELAY_MS: '10000',
  });
  /** fewer than the requests that are always admitted */
  const STORM = 90;
  const PASSWORD = 'correct horse battery staple';
  const hashing = (): number[] =>
    served.host
      .processes()
      .filter(({ command }) => command.startsWith('opencanvas-hash'))
      .map(({ pid }) => pid);
  const attempt = () => served.client.post('/v1/auth/login', { body: { login: 'nobody_here', password: PASSWORD } });

  it('is hashed apart from what serves, below its priority, and refused beyond the bound', async () => {
    const storm = Promise.all(Array.from({ length: STORM }, attempt));
    const pids = await until(() => (hashing().length > 0 ? hashing() : null));
    // hashing that runs beside the event loops at their priority takes their CPU away
    for (const pid of pids) await until(() => (getPriority(pid) === 19 ? true : null));
    expect(getPriority(served.host.pid)).toBe(getPriority(0));
    for (let turn = 0; turn < 20; turn++) {
      expect((await served.client.get('/v1/feed?limit=10')).status).toBe(200);
      expect((await served.client.get('/health/live')).status).toBe(200);
    }
    const answers = await storm;
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, body } of refused)
      expect([body.code, Number(headers.get('retry-after'))]).toEqual(['overloaded', 2]);
    // the others were really checked
    expect(answers.filter(({ status }) => status !== 503 && status !== 401)).toEqual([]);
    expect(answers.length - refused.length).toBeGreaterThan(0);
    expect(served.host.output).not.toContain(PASSWORD);
  });

  it('goes on after a hash process was killed', async () => {
    expect((await attempt()).status).toBe(401);
    const pids = hashing();
    expect(pids.length).toBeGreaterThan(0);
    // what it was started with is seen by everybody on the machine
    for (const pid of pids) expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(PASSWORD);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await until(() => (hashing().some((pid) => pids.includes(pid)) ? null : true));
    expect((await attempt()).status).toBe(401);
  });

  it('leaves no hash process behind, however the server ends', async () => {
    expect((await attempt()).status).toBe(401);
    served.host.signal('SIGKILL');
    await served.host.untilGone();
  });
});
