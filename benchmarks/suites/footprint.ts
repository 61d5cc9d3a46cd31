import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchmarkContext } from '../context.js';
import { proportionalBytes, readTreeUsage } from '../harness/process-tree.js';
import { round } from '../harness/results.js';
import { studyResult } from './study.js';
import type { Suite } from './suite.js';

const NAME = 'footprint';
/** All processes have started. */
const START_SECONDS = 20;
/** An unused server sends no more heartbeats, and has collected the garbage of its start. */
const SETTLE_SECONDS = 75;
const IDLE_SECONDS = 30;
const LOAD_SECONDS = 60;
const READERS = 10;
const MIB = 2 ** 20;

type Figures = { startCpuMs: number; idleMiB: number; idleCpuMsPerSecond: number; loadedMiB: number };

/** Measured figures of this design. One that is exceeded by a quarter is a regression, and fails. */
const EXPECTED: Record<string, { workers: number } & Figures> = {
  'product@two-workers': { workers: 2, startCpuMs: 8_000, idleMiB: 340, idleCpuMsPerSecond: 22, loadedMiB: 430 },
  'product@one-process': { workers: 1, startCpuMs: 2_200, idleMiB: 110, idleCpuMsPerSecond: 10, loadedMiB: 155 },
};

export const FOOTPRINT: Suite = {
  name: NAME,
  title: 'Memory and CPU of an unused server, and after a minute of readers',
  question: `The server with its jobs process starts, is idle, and is read by ${READERS} readers. Memory is proportional (PSS), without mongod.`,
  async run(context) {
    const { product } = await context.dataset();
    for (const [subject, { workers, ...expected }] of Object.entries(EXPECTED)) {
      if (!context.wantsSubject(subject)) continue;
      await context.subjects.keepOnly([]);
      const env = { JOBS_ENABLED: 'true' };
      const spec = { kind: 'product', database: product.databaseName, workers, env } as const;
      // The first start builds the search index, which the suite index-build measures.
      await context.subjects.get(spec);
      await context.subjects.keepOnly([]);
      const { url, pid } = await context.subjects.get(spec);
      const figures = await measure(context, url, pid!);
      context.add(studyResult(subject, { suite: NAME, seconds: LOAD_SECONDS, extra: figures }));
      if (context.options.isQuick) continue;
      for (const [name, most] of Object.entries(expected) as [keyof Figures, number][])
        if (figures[name] > 1.25 * most)
          context.fail({ suite: NAME, subject, problem: `${name} is ${figures[name]}, ${most} are expected` });
    }
  },
};

async function measure(context: BenchmarkContext, url: string, pid: number): Promise<Figures> {
  const wait = (seconds: number): Promise<void> => sleep(1_000 * (context.options.isQuick ? 1 : seconds));
  await wait(START_SECONDS);
  const startCpuMs = Math.round(readTreeUsage(pid).cpuMicros / 1_000);
  await wait(SETTLE_SECONDS);
  const idle = await proportionalBytes(pid);
  const [before, startedAt] = [readTreeUsage(pid).cpuMicros, performance.now()];
  await wait(IDLE_SECONDS);
  const idleCpu = (readTreeUsage(pid).cpuMicros - before) / (performance.now() - startedAt);
  await read(url, performance.now() + (context.options.isQuick ? 1 : LOAD_SECONDS) * 1_000);
  const loaded = await proportionalBytes(pid);
  const mib = (bytes: number): number => Math.round(bytes / MIB);
  return { startCpuMs, idleMiB: mib(idle), idleCpuMsPerSecond: round(idleCpu, 1), loadedMiB: mib(loaded) };
}

/** Reads cached and other pages and posts, because the garbage of both grows the heap. */
async function read(url: string, end: number): Promise<void> {
  const get = async (path: string): Promise<{ data: { id: string }[] }> => {
    const response = await fetch(`${url}/v1/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return (await response.json()) as { data: { id: string }[] };
  };
  const reader = async (number: number): Promise<void> => {
    for (let round = number; performance.now() < end; round++) {
      const { data } = await get(`feed?limit=${1 + (round % 50)}&type=${round % 2 === 0 ? 'article' : 'written'}`);
      for (const { id } of data.slice(0, 3)) await get(`posts/${id}/comments?limit=${1 + (round % 20)}`);
    }
  };
  await Promise.all(Array.from({ length: READERS }, (_, number) => reader(number)));
}
