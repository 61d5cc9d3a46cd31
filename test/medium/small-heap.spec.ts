import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ROOT } from '../support/spawned-host.js';

const MODULE = pathToFileURL(join(ROOT, 'dist/src/engagement/small-heap.js')).href;

const RUNS = 5;

/** Keeps a few MB alive, always others, as a run keeps its batches. @returns the peak of the heap in MB */
const SCRIPT = `
  import { withSmallHeap } from ${JSON.stringify(MODULE)};
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
  console.log(await (process.argv[1] === 'small' ? withSmallHeap(work) : work()));`;

describe('withSmallHeap', () => {
  beforeAll(() => ensureBuilt(), 300_000);

  it('keeps the heap near what is alive, in this version of Node.js too', () => {
    const peak = (how: string) => {
      const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT, how]);
      // an option that V8 does not know any more is told here, and nowhere else
      expect(String(stderr)).toBe('');
      return Number(stdout);
    };
    // the collector works beside the program: on a machine that gives it no time, a peak of a single run says little
    const lowest = (how: string) => Math.min(...Array.from({ length: RUNS }, () => peak(how)));
    expect(lowest('small')).toBeLessThan(lowest('usual') * 0.75);
  });
});
