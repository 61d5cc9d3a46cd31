import type { Environment } from '../harness/environment.js';
import { type Report, type Result, ratiosBetween } from '../harness/results.js';
import type { Suite } from '../suites/suite.js';

export const environment = (revision: string, changes: Partial<Environment> = {}): Environment => ({
  ...{ date: `date of ${revision}`, revision, hasLocalChanges: false, node: 'v20', mongod: '6.0.5', os: 'linux' },
  ...{ cpuModel: 'some', cores: 2, memoryGiB: 4, seconds: 2, runs: 2, target: null },
  dataset: { profile: 'full', seed: 1, counts: { posts: 100 } },
  ...changes,
});

export const result = (suite: string, subject: string, micros: number, connections: number | null = 100): Result => ({
  ...{ suite, subject, connections, pipelining: 1, seconds: 4, runs: 2, requests: 100, requestsPerSecond: 25 },
  ...{ succeededPerSecond: 25, cpuMicrosPerRequest: micros, mongodCpuMicrosPerRequest: 10, generatorCpuShare: 0.1 },
  latencyMs: { mean: 1, p50: 1, p95: 2, p99: micros / 100, max: micros / 50 },
  ...{ errors: 0, timeouts: 0, non2xx: 0, bytesPerResponse: 10, rssMiB: 100 },
  spread: { requestsPerSecond: 0, cpuMicrosPerRequest: 0 },
});

/** Returns a call in which the product cost `micros` and the peer 200 + 10 in each of the suites. */
export function reportOf(revision: string, suites: string[], micros: number, connections: number | null = 100): Report {
  const pairs = suites.map((suite) => [
    result(suite, 'product', micros, connections),
    result(suite, 'express-optimised', 190, connections),
  ]);
  return {
    environment: environment(revision),
    results: pairs.flat().map((each) => ({ ...each, revision, date: `date of ${revision}` })),
    ratios: pairs.flatMap(([product, peer]) => ratiosBetween(product!, peer!)),
    failures: [],
  };
}

export const suites = ['feed-cold', 'comments-cold', 'feed-random-limit', 'simulation', 'login'].map((name): Suite => ({
  ...{ name, title: `Title of ${name}`, question: 'What?' },
  run: () => Promise.resolve(),
}));
