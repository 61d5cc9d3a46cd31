import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchmarkContext } from '../context.js';
import type { Dataset } from '../data/dataset.js';
import { MemoryGroup } from '../harness/memory-group.js';
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
const LOAD_SECONDS = 600;
const PEOPLE = 10;
/** between two visits of a person */
const PAUSE_MS = 100;
const MIB = 2 ** 20;
const SMALL_SUBJECT = 'product@512-mib';

type Figures = {
  startCpuMs: number;
  idleMiB: number;
  idleCpuMsPerSecond: number;
  /** after half of the load */
  halfMiB: number;
  /** after the load */
  loadedMiB: number;
};

type Visits = { requests: number; failed: number };
type Summary = { id: string; title: string };

/** Measured figures of this design. One that is exceeded by a quarter is a regression, and fails. */
const EXPECTED: Record<string, { workers: number } & Figures> = {
  'product@two-workers': {
    workers: 2,
    ...{ startCpuMs: 8_000, idleMiB: 340, idleCpuMsPerSecond: 22, halfMiB: 460, loadedMiB: 460 },
  },
  'product@one-process': {
    workers: 1,
    ...{ startCpuMs: 2_200, idleMiB: 110, idleCpuMsPerSecond: 10, halfMiB: 170, loadedMiB: 170 },
  },
};

export const FOOTPRINT: Suite = {
  name: NAME,
  title: 'Memory and CPU of an unused server, and after ten minutes of people',
  question: `The server with its jobs process starts, is idle, and ${PEOPLE} people read, vote, search and comment. Memory is proportional (PSS), without mongod. ${SMALL_SUBJECT}: the default configuration in a container of 512 MiB.`,
  async run(context) {
    const dataset = await context.dataset();
    const { databaseName: database } = dataset.product;
    const env = { JOBS_ENABLED: 'true' };
    for (const [subject, { workers, ...expected }] of Object.entries(EXPECTED)) {
      if (!context.wantsSubject(subject)) continue;
      await context.subjects.keepOnly([]);
      const spec = { kind: 'product', database, workers, env } as const;
      // The first start builds the search index, which the suite index-build measures.
      await context.subjects.get(spec);
      await context.subjects.keepOnly([]);
      const { url, pid } = await context.subjects.get(spec);
      const figures = await measure(context, dataset, url, pid!);
      context.add(studyResult(subject, { suite: NAME, seconds: LOAD_SECONDS, extra: figures }));
      if (context.options.isQuick) continue;
      for (const [name, most] of Object.entries(expected) as [keyof Figures, number][])
        if (figures[name] > 1.25 * most)
          context.fail({ suite: NAME, subject, problem: `${name} is ${figures[name]}, ${most} are expected` });
    }
    if (!context.wantsSubject(SMALL_SUBJECT)) return;
    await context.subjects.keepOnly([]);
    const memory = MemoryGroup.create(512 * MIB);
    try {
      const { url } = await context.subjects.get({ kind: 'product', database, env, memory });
      const { requests, failed } = await visit(context, dataset, url, LOAD_SECONDS);
      const figures = { peakMiB: Math.round(memory.peakBytes / MIB), kills: memory.kills, failed };
      context.add(studyResult(SMALL_SUBJECT, { suite: NAME, seconds: LOAD_SECONDS, requests, extra: figures }));
      if (figures.kills + failed > 0)
        context.fail({ suite: NAME, subject: SMALL_SUBJECT, problem: `${figures.kills} kills, ${failed} failures` });
    } finally {
      await context.subjects.keepOnly([]);
      memory.delete();
    }
  },
};

async function measure(context: BenchmarkContext, dataset: Dataset, url: string, pid: number): Promise<Figures> {
  const wait = (seconds: number): Promise<void> => sleep(1_000 * (context.options.isQuick ? 1 : seconds));
  await wait(START_SECONDS);
  const startCpuMs = Math.round(readTreeUsage(pid).cpuMicros / 1_000);
  await wait(SETTLE_SECONDS);
  const idle = await proportionalBytes(pid);
  const [before, startedAt] = [readTreeUsage(pid).cpuMicros, performance.now()];
  await wait(IDLE_SECONDS);
  const idleCpu = (readTreeUsage(pid).cpuMicros - before) / (performance.now() - startedAt);
  await visit(context, dataset, url, LOAD_SECONDS / 2);
  const half = await proportionalBytes(pid);
  await visit(context, dataset, url, LOAD_SECONDS / 2);
  const loaded = await proportionalBytes(pid);
  const mib = (bytes: number): number => Math.round(bytes / MIB);
  return {
    ...{ startCpuMs, idleMiB: mib(idle), idleCpuMsPerSecond: round(idleCpu, 1) },
    ...{ halfMiB: mib(half), loadedMiB: mib(loaded) },
  };
}

/**
 * Each visit reads a page of the feed and the comments of three posts, and votes; each tenth searches, and each 25th comments.
 * @returns numbers of requests, and of those without success
 */
async function visit(context: BenchmarkContext, dataset: Dataset, url: string, seconds: number): Promise<Visits> {
  const people = await dataset.users(PEOPLE);
  const end = performance.now() + (context.options.isQuick ? 1 : seconds) * 1_000;
  const visits: Visits = { requests: 0, failed: 0 };
  const send = async (path: string, init: RequestInit = {}): Promise<Summary[]> => {
    visits.requests += 1;
    const response = await fetch(`${url}/v1/${path}`, init);
    const { data = [] } = (await response.json()) as { data?: Summary[] };
    if (!response.ok) visits.failed += 1;
    return data;
  };
  const person = async (id: string, number: number): Promise<void> => {
    const headers = { authorization: `Bearer ${context.tokenOf(id)}`, 'content-type': 'application/json' };
    for (let round = 7 * number; performance.now() < end; round++) {
      const type = round % 2 === 0 ? 'article' : 'written';
      const path = `feed?limit=${1 + (round % 50)}&type=${type}`;
      const posts = await send(path);
      for (const { id } of posts.slice(0, 3)) await send(`posts/${id}/comments?limit=${1 + (round % 20)}`);
      const post = posts[round % posts.length];
      if (post === undefined) continue;
      const value = round % 2 === 0 ? 'like' : 'dislike';
      await send(`posts/${post.id}/vote`, { method: 'PUT', headers, body: JSON.stringify({ value }) });
      if (round % 10 === 0) await send(`search?q=${encodeURIComponent(post.title.split(' ')[0]!)}`);
      const content = `Visit ${round} of this account`;
      if (round % 25 === 0)
        await send(`posts/${post.id}/comments`, { method: 'POST', headers, body: JSON.stringify({ content }) });
      await sleep(PAUSE_MS);
    }
  };
  await Promise.all(people.map(({ id }, number) => person(id, number)));
  return visits;
}
