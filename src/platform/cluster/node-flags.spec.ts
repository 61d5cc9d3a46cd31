import { spawnSync } from 'node:child_process';
import { nodeFlagsOf } from './node-flags.js';

const RUNS = 3;

/** Keeps a few MB alive, always others, as a score run keeps its batches; prints the peak of the heap in MB. */
const SCRIPT = `
  const work = async () => {
    const batches = [];
    let peak = 0;
    for (let at = 0; at < 1_000; at++) {
      batches[at % 24] = Array.from({ length: 5_000 }, (_, row) => ({ row, at, changes: { rank: row / 7 } }));
      if (at % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
      peak = Math.max(peak, process.memoryUsage().heapTotal);
    }
    return peak / 2 ** 20;
  };
  void work().then((peak) => console.log(peak));`;

describe('flags of node', () => {
  it('are known to this version of node, and keep the heap of the jobs process near what is alive', () => {
    const peakOf = (flags: string[]): number => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', SCRIPT], { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return Number(stdout);
    };
    // the collector works beside the program: on a machine that gives it no time, the peak of a single run says little
    const lowestOf = (flags: string[]) => Math.min(...Array.from({ length: RUNS }, () => peakOf(flags)));
    expect(lowestOf(nodeFlagsOf('jobs'))).toBeLessThan(lowestOf(nodeFlagsOf('web')) * 0.8);
  });
});
