import { getEventListeners } from 'node:events';
import { Interval } from '@nestjs/schedule';
import { ClusterModule } from '../../src/platform/cluster/cluster.module.js';
import type { ProcessRole } from '../../src/platform/cluster/process-role.js';
import { JobsModule } from '../../src/platform/jobs/jobs.module.js';
import { JobsRunner, type JobWork } from '../../src/platform/jobs/jobs-runner.js';
import { Leased } from '../../src/platform/jobs/leased.decorator.js';
import { type Lease, LeaseService } from '../../src/platform/mongo/lease.service.js';
import { useMongoModule } from '../support/mongo-module.js';
import { until } from '../support/until.js';

describe('JobsRunner, two hosts on one database', () => {
  const mongo = useMongoModule();
  const openRunner = async (): Promise<JobsRunner> => new JobsRunner((await mongo.open()).get(LeaseService));

  /** Returns work that runs until the test ends it. */
  function openWork() {
    let end: () => void = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const work: JobWork = async () => {
      begin();
      await ended;
    };
    return { work, begun, end };
  }

  it('runs a job on one host at a time, and not twice on the same', async () => {
    const [one, two] = [await openRunner(), await openRunner()];
    const { work, begun, end } = openWork();
    const first = one.run('score', work);
    await begun;
    expect(await two.run('score', work)).toBe('held elsewhere');
    expect(await one.run('score', work)).toBe('still running');
    end();
    expect(await first).toBe('done');
    expect(await two.run('score', async () => {})).toBe('done');
  });

  it('survives a failing run and starts the next one', async () => {
    const runner = await openRunner();
    const fail = async (): Promise<void> => Promise.reject(new Error('no luck'));
    expect(await runner.run('sweep', fail)).toBe('failed');
    expect(await runner.run('sweep', async () => {})).toBe('done');
  });

  it('aborts a running job when the process ends, and starts no other', async () => {
    const runner = await openRunner();
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const run = runner.run(
      'score',
      (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          begin();
        }),
    );
    await begun;
    await runner.beforeApplicationShutdown();
    expect(await run).toBe('stopped');
    expect(await runner.run('score', async () => {})).toBe('stopped');
  });

  it('keeps no memory of ended runs', async () => {
    const runner = await openRunner();
    const { signal } = runner['ending'];
    // Node stores the signals derived from this one here.
    const noted = (): number =>
      Object.getOwnPropertySymbols(signal)
        .filter(({ description }) => description === 'kDependantSignals')
        .reduce((sum, symbol) => sum + (signal as unknown as Record<symbol, Set<unknown>>)[symbol]!.size, 0);
    for (let run = 0; run < 5; run++) expect(await runner.run('score', async () => {})).toBe('done');
    expect([noted(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
  });

  it('runs methods with @Leased on schedule, when they are due, in a process that runs jobs', async () => {
    const open = async (role: ProcessRole): Promise<Counter> =>
      (await mongo.open({}, { imports: [ClusterModule.with(role), JobsModule], providers: [Counter] })).get(Counter);
    const [web, jobs] = [await open('web'), await open('jobs')];

    await until(() => jobs.looks > 1 || null);
    expect(jobs.leases).toEqual([]);
    jobs.isDue = true;
    web.isDue = true;
    await until(() => jobs.leases.length > 1 || null);
    jobs.isDue = false;

    expect(jobs.leases[0]).toMatchObject({ name: 'count', token: 1 });
    expect([web.looks, web.leases]).toEqual([0, []]);
  });

  it('runs a method with @Leased immediately for a caller with the lease', async () => {
    const counter = new Counter();
    const lease: Lease = { name: 'count', holder: 'the caller', token: 7, expiresAt: new Date() };
    await counter.count(new AbortController().signal, lease);
    expect(counter.leases).toEqual([lease]);
  });
});

class Counter {
  isDue = false;
  looks = 0;
  readonly leases: Lease[] = [];

  @Interval(20)
  @Leased<Counter>('count', { isDue: (counter) => counter.look() })
  count(_signal: AbortSignal, lease: Lease): Promise<void> {
    this.leases.push(lease);
    return Promise.resolve();
  }

  private look(): Promise<boolean> {
    this.looks++;
    return Promise.resolve(this.isDue);
  }
}
