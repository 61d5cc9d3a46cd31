import { join } from 'node:path';

interface Test {
  path: string;
}
interface Weights {
  secondsOf: (path: string) => number;
  shareOf: (path: string) => number;
}
type Classify = (tests: Test[], share: number, durations: Weights) => { computing: Test[]; waiting: Test[] };

describe('lanes of spec files', () => {
  let classify: Classify;

  beforeAll(async () => {
    ({ classify } = (await import(join(import.meta.dirname, 'lanes.mjs'))) as { classify: Classify });
  });

  const pathsOf = (tests: Test[]): string => tests.map(({ path }) => path).join(' ');
  /** Seconds, and the share of CPU time. */
  const weights = (files: Record<string, [number, number]>): Weights => ({
    secondsOf: (path) => files[path]![0],
    shareOf: (path) => files[path]![1],
  });

  it('assigns mostly computing files their share of the seconds, and keeps the order', () => {
    const files = { a: [40, 0.1], b: [30, 0.9], c: [20, 0.2], d: [10, 0.8] } as Record<string, [number, number]>;
    const tests = Object.keys(files).map((path) => ({ path }));
    const { computing, waiting } = classify(tests, 2 / 5, weights(files));
    expect([pathsOf(computing), pathsOf(waiting)]).toEqual(['b d', 'a c']);
  });

  it('leaves no file out when all weigh the same', () => {
    const tests = Array.from({ length: 10 }, (_, at) => ({ path: String(at) }));
    const { computing, waiting } = classify(tests, 2 / 5, { secondsOf: () => 1, shareOf: () => 0.5 });
    expect([computing.length, waiting.length]).toEqual([4, 6]);
  });
});
