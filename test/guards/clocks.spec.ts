import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clockBounds } from '../support/clock-bounds.js';

/** `testTimeout` of jest.config.mjs. */
const DEFAULT_LIMIT_MS = 300_000;
/** The timeout of a test or hook, as oxfmt formats it. */
const OWN_LIMIT = /^ *\}, (\d+(?:_\d{3})+)\);$/gm;
const ROOT = join(import.meta.dirname, '../..');

/** Assertions that fail on a busy machine, and others that do not. */
const BOUNDS = [
  'expect(performance.now() - began).toBeLessThan(500);',
  'const took = Date.now() - began; expect(took).toBeLessThanOrEqual(9_000);',
  'const end = Date.now(); const all = end - began; expect(Math.max(0, all)).toBeLessThan(LIMIT);',
  'const times = many.map(() => performance.now() - began); expect(Math.min(...times)).toBeLessThan(5);',
  'const times = []; times.push(performance.now() - began); expect(Math.max(...times)).toBeLessThan(5);',
  'function shortest() { return Date.now() - began; } expect(await shortest()).toBeLessThan(5);',
  'expect([status, response.tookMs < 1_000]).toEqual([200, true]);',
  'expect(createdAt.getTime()).toBeGreaterThan(Date.now() - 60_000);',
  'expect(performance.now()).toBeLessThan(deadline);',
];
const OTHERS = [
  'expect(performance.now() - began).toBeGreaterThanOrEqual(195);',
  'const before = Date.now(); expect(createdAt.getTime()).toBeGreaterThanOrEqual(before);',
  'expect(expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(60_000);',
  'const long = Date.now() - at; const short = Date.now() - then; expect(long / short).toBeLessThan(8);',
  'expect(retryAfterMs(response)).toBeLessThanOrEqual(60_000);',
  'expect(cpuMs).toBeLessThan(100);',
];

describe('a spec', () => {
  it('asserts no upper bound of a time: on a busy machine it would fail', () => {
    const found = specFiles().flatMap((file) => {
      const bounds = clockBounds(file, readFileSync(join(ROOT, file), 'utf8'));
      return bounds.map((bound) => `${file}:${bound}`);
    });
    // Wait for the event (`until`), compare the order or the number of events, or use a fake clock. Speed belongs to benchmarks.
    expect(found).toEqual([]);
  });

  it('give no test a shorter timeout than the default', () => {
    const found = specFiles().flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(OWN_LIMIT)]
        .filter(([, limitMs]) => Number(limitMs!.replaceAll('_', '')) <= DEFAULT_LIMIT_MS)
        .map(([line]) => `${file}: ${line}`),
    );
    expect(found).toEqual([]);
  });
});

describe('clockBounds', () => {
  it.each(BOUNDS)('finds %s', (line) => expect(clockBounds('a.spec.ts', line)).toHaveLength(1));

  it.each(OTHERS)('allows %s', (line) => expect(clockBounds('a.spec.ts', line)).toEqual([]));
});

/** Specs, and their support files. */
function specFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  return listed
    .toString()
    .split('\n')
    .filter((file) => /\.spec\.ts$|^test\/.*\.ts$/.test(file));
}
