import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { proportionalBytes, readTreeUsage } from '../harness/process-tree.js';
import { round } from '../harness/results.js';
import { LatencyRecorder } from '../harness/statistics.js';
import { studyResult } from './study.js';
import type { Suite } from './suite.js';

const NAME = 'index-build';
const SAMPLE_EVERY_MS = 100;
const READY_TIMEOUT_MS = 900_000;
const MIB = 2 ** 20;

/** Builds the search index of a host, as after its first start, while readers read a cached page. */
export const INDEX_BUILD: Suite = {
  name: NAME,
  title: 'Build of the search index',
  question: `A server without an index starts: how long until it can search, with how much CPU and memory of node, and how long ${1_000 / SAMPLE_EVERY_MS} readers a second wait meanwhile.`,
  async run(context) {
    const { product } = await context.dataset();
    const directory = await mkdtemp(join(tmpdir(), 'opencanvas-index-'));
    await context.subjects.keepOnly([]);
    const env = { DATA_DIR: directory, JOBS_ENABLED: 'true' };
    const spec = { kind: 'product', database: product.databaseName, readyPath: '/health/ready', env } as const;
    try {
      const { url, pid } = await context.subjects.get(spec);
      const [began, cpuBefore] = [performance.now(), readTreeUsage(pid!).cpuMicros];
      const latencies = new LatencyRecorder();
      let mostBytes = 0;
      while (!(await fetch(`${url}/health/ready?search=true`)).ok) {
        if (performance.now() - began > READY_TIMEOUT_MS) throw new Error('the index was not built in time');
        const asked = performance.now();
        await (await fetch(`${url}/v1/feed?limit=10`)).arrayBuffer();
        latencies.add(performance.now() - asked);
        mostBytes = Math.max(mostBytes, await proportionalBytes(pid!));
        await sleep(SAMPLE_EVERY_MS);
      }
      const seconds = round((performance.now() - began) / 1_000, 1);
      const extra = {
        cpuSeconds: round((readTreeUsage(pid!).cpuMicros - cpuBefore) / 1e6, 1),
        mostMiB: Math.round(mostBytes / MIB),
      };
      const read = { requests: latencies.size, latencyMs: latencies.summary() };
      context.add(studyResult('product', { suite: NAME, seconds, ...read, extra }));
    } finally {
      await context.subjects.keepOnly([]);
      await rm(directory, { recursive: true, force: true });
    }
  },
};
