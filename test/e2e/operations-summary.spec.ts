import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { OperationsSummaryDto } from '../../src/platform/metrics/dto/operations-summary.dto.js';
import { JobsRunner } from '../../src/platform/jobs/jobs-runner.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import { LANES } from '../../src/platform/work-queue/lanes.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { startApp, useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import { until } from '../support/until.js';
import { verbsOf } from '../support/verbs.js';
import type { PersonWithPassword } from '../support/world.js';

const PATH = '/v1/operations/summary';
/** Without jobs, a process follows the change stream. */
const FOLLOWS = { JOBS_ENABLED: 'false' };

describe('the summary for operators', () => {
  const app = useApp({ env: FOLLOWS, direct: 'hosts that are one process of a spec share its registry' });
  const { world } = app;
  const { ok } = verbsOf(app);
  let admin: PersonWithPassword;

  beforeAll(async () => {
    admin = await world.person({ overHttp: true, role: 'admin' });
  });

  const summary = async (): Promise<OperationsSummaryDto> => {
    const { status, body, headers } = await app.client.get<OperationsSummaryDto>(PATH, { token: admin.token });
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    return body;
  };
  /** The figures of the time in which `act` ran. */
  const during = async (act: () => Promise<unknown>): Promise<OperationsSummaryDto> => {
    await summary();
    await act();
    // A page of metrics serves all readers for a second.
    await sleep(1_100);
    return summary();
  };

  it('responds while the database does not', async () => {
    const hanging = app
      .everyOf(MongoService)
      .map(({ db }) => jest.spyOn(db, 'command').mockReturnValue(new Promise(() => {})));
    const { database } = await summary();
    for (const command of hanging) command.mockRestore();

    expect(database).toMatchObject({ sizeBytes: null, connections: expect.any(Number) as number });
  });

  it('counts requests, failed ones and cache hits of the period, and not its own', async () => {
    const { requests, seconds } = await during(async () => {
      for (let time = 0; time < 6; time++) await app.client.get('/v1/users/nobody_is_here');
      for (let time = 0; time < 4; time++) await app.client.get('/v1/feed?limit=11');
      for (let time = 0; time < 5; time++) await app.client.get(PATH);
    });

    expect(seconds).toBeGreaterThan(1);
    const total = (perSecond: number) => Math.round(perSecond * seconds);
    expect([total(requests.perSecond), total(requests.clientErrorsPerSecond)]).toEqual([10, 6]);
    expect(requests.cacheShare).toBeCloseTo(0.3);
    expect(requests.p50Ms).toBeGreaterThan(0);
    expect(requests.p99Ms).toBeGreaterThanOrEqual(requests.p50Ms!);
    expect(requests).toMatchObject({ serverErrorsPerSecond: 0, inFlight: 1 });

    const quiet = await during(async () => {});
    expect(quiet.requests).toMatchObject({ perSecond: 0, cacheShare: null, p50Ms: null, p99Ms: null });
  });

  it('counts commits, tasks of the queue by lane, and runs of jobs', async () => {
    const post = await world.post({ by: admin });
    const before = await summary();
    // The metric has whole seconds.
    const startedAt = new Date().setMilliseconds(0);

    const after = await during(async () => {
      await ok(admin, 'PUT', `posts/${post.id}/vote`, { value: 'like' });
      await world.person({ overHttp: true });
      await app.app.get(TaskWorker).work(AbortSignal.timeout(60_000));
      await app.app.get(JobsRunner).run('weekly', () => Promise.resolve());
      await app.app.get(JobsRunner).run('weekly', () => Promise.reject(new Error('no disk')));
    });

    expect(Math.round(after.commits.perSecond * after.seconds)).toBeGreaterThanOrEqual(2);
    const mails = ({ lanes }: OperationsSummaryDto) => lanes.find(({ name }) => name === 'mail')!;
    expect(mails(after).done).toBeGreaterThan(mails(before).done);
    expect(after.lanes).toEqual(
      Object.keys(LANES).map((name) => expect.objectContaining({ name, failed: 0 }) as object),
    );
    const task = after.tasks.find(({ name }) => name === 'weekly')!;
    expect(task).toMatchObject({ failed: 1, seconds: expect.any(Number) as number });
    expect(Date.parse(task.lastSuccessAt!)).toBeGreaterThanOrEqual(startedAt);
  });

  it('has the process, the host and the database', async () => {
    const { processes, host, otherHosts, database } = await until(async () => {
      const found = await summary();
      return found.database.sizeBytes === null ? null : found;
    });

    expect(processes).toEqual([
      expect.objectContaining({ role: 'web', pid: process.pid, cpu: expect.any(Number) as number }),
    ]);
    expect(processes[0]!.memoryBytes).toBeGreaterThan(50_000_000);
    expect([host.version, otherHosts]).toEqual([processes[0]!.version, []]);
    expect(database.connections).toBeGreaterThan(0);
    expect(database.maxConnections).toBeGreaterThanOrEqual(database.connections);
    expect(database.sizeBytes).toBeGreaterThan(0);
  });

  it('is of the host that responds, and names the others', async () => {
    const beside = await startApp({ beside: app, env: FOLLOWS });
    const other = await until(async () => {
      const found = await beside.client.get<OperationsSummaryDto>(PATH, { token: admin.token });
      return found.body.otherHosts.length === 1 ? found.body : null;
    });
    const own = await until(async () => {
      const found = await summary();
      return found.otherHosts.length === 1 ? found : null;
    });
    await beside.close();

    expect([own.otherHosts, other.otherHosts]).toEqual([[other.host], [own.host]]);
    expect(own.host.id).not.toBe(other.host.id);
  });

  it('is for admins, until their session or role ends', async () => {
    const moderator = await world.person({ role: 'moderator' });
    expectProblem(await app.client.get(PATH), 401, 'unauthorized');
    expectProblem(await app.client.get(PATH, { token: moderator.token }), 403, 'forbidden');

    const other = await world.person({ overHttp: true });
    const changeRole = (role: string) =>
      ok(admin, 'PUT', `admin/users/${other.id}/role`, { role, password: TEST_PASSWORD });
    await changeRole('admin');
    const { body } = await app.client.post('/v1/auth/login', {
      body: { login: other.username, password: TEST_PASSWORD },
    });
    const token: string = body.accessToken;
    expect((await app.client.get(PATH, { token })).status).toBe(200);
    await changeRole('user');
    expectProblem(await app.client.get(PATH, { token }), 401, 'invalid_token');
  });

  it('is for API tokens of admins whose only scope is operations', async () => {
    const statusOf = async (by: PersonWithPassword, scopes: ('operations' | 'read' | 'moderation')[]) => {
      const { token } = await world.apiToken({ by, scopes });
      const { status, body } = await app.client.get(PATH, { token });
      return [status, body.code];
    };
    const user = await world.person({ overHttp: true });

    expect(await statusOf(admin, ['operations'])).toEqual([200, undefined]);
    expect(await statusOf(admin, ['operations', 'moderation'])).toEqual([200, undefined]);
    expect(await statusOf(admin, ['operations', 'read'])).toEqual([403, 'forbidden']);
    expect(await statusOf(admin, ['read', 'moderation'])).toEqual([403, 'insufficient_scope']);
    expect(await statusOf(user, ['operations'])).toEqual([403, 'forbidden']);
  });
});
