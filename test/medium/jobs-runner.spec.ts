import { getEventListeners } from 'node:events';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { ProcessRole } from '../../src/platform/cluster/process-role.js';
import { JobsRunner, type JobWork } from '../../src/platform/jobs/jobs-runner.js';
import { LeaseService } from '../../src/platform/mongo/lease.service.js';
import { useMongoModule } from '../support/mongo-module.js';
import { until } from '../support/until.js';

describe('JobsRunner, two hosts on one database', () => {
  const mongo = useMongoModule();
  const openRunner = async (role: ProcessRole): Promise<JobsRunner> =>
    new JobsRunner(role, new SchedulerRegistry(), (await mongo.open()).get(LeaseService));

  /** Work that runs until the test ends it. */
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
    const [one, two] = [await openRunner('jobs'), await openRunner('jobs')];
    const { work, begun, end } = openWork();
    const first = one.run('score', work);
    await begun;
    expect(await two.run('score', work)).toBe('held elsewhere');
    expect(await one.run('score', work)).toBe('still running');
    end();
    expect(await first).toBe('done');
    expect(await two.run('score', async () => {})).toBe('done');
  });

  it('survives a failing run and lets the next one go ahead', async () => {
    const runner = await openRunner('all');
    const fail = async (): Promise<void> => Promise.reject(new Error('no luck'));
    expect(await runner.run('sweep', fail)).toBe('failed');
    expect(await runner.run('sweep', async () => {})).toBe('done');
  });

  it('asks a running job to stop when the process ends, and starts no other', async () => {
    const runner = await openRunner('jobs');
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

  it('keeps nothing of the runs that have ended', async () => {
    const runner = await openRunner('jobs');
    const { signal } = runner['ending'];
    // where node notes the signals that were made of this one
    const noted = (): number =>
      Object.getOwnPropertySymbols(signal)
        .filter(({ description }) => description === 'kDependantSignals')
        .reduce((sum, symbol) => sum + (signal as unknown as Record<symbol, Set<unknown>>)[symbol]!.size, 0);
    for (let run = 0; run < 5; run++) expect(await runner.run('score', async () => {})).toBe('done');
    expect([noted(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
  });

  it('has no timetable in a web worker', async () => {
    let runs = 0;
    const [web, jobs] = [await openRunner('web'), await openRunner('jobs')];
    web.every('count', 20, async () => runs++);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(runs).toBe(0);
    jobs.every('count', 20, async () => runs++);
    await until(() => runs > 0 || null);
    await jobs.beforeApplicationShutdown();
  });
});
