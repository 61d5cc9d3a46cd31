import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = join(ROOT, 'test/durations.json');

/** Stores the seconds and the CPU share of each spec file. A file without an entry gets the median of both. */
export class Durations {
  #known = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
  #median = {
    seconds: median(Object.values(this.#known).map(({ seconds }) => seconds)),
    share: median(Object.values(this.#known).map(shareOf)),
  };

  secondsOf(path) {
    return this.#known[relative(ROOT, path)]?.seconds ?? this.#median.seconds;
  }

  /** The share of CPU time in wall time. */
  shareOf(path) {
    const known = this.#known[relative(ROOT, path)];
    return known ? shareOf(known) : this.#median.share;
  }
}

function shareOf({ seconds, cpu }) {
  return cpu / Math.max(seconds, 0.01);
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 1;
}

/** A reporter of jest (`npm test -- --durations`): stores the durations of the passed files, and removes files that no longer exist. */
export default class DurationsReporter {
  #measured = {};

  onTestResult({ path }, { perfStats, cpuSeconds, numFailingTests, testExecError }) {
    if (numFailingTests > 0 || testExecError || cpuSeconds === undefined) return;
    this.#measured[relative(ROOT, path)] = { seconds: perfStats.runtime / 1_000, cpu: cpuSeconds };
  }

  onRunComplete() {
    const before = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
    const lines = Object.entries({ ...before, ...this.#measured })
      .filter(([path]) => existsSync(join(ROOT, path)))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, { seconds, cpu }]) => `  "${path}": { "seconds": ${rounded(seconds)}, "cpu": ${rounded(cpu)} }`);
    writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
  }

  getLastError() {}
}

function rounded(seconds) {
  return Math.round(seconds * 10) / 10;
}
