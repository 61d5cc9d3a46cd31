import { readFile } from 'node:fs/promises';
import { StartupError } from '../../src/common/errors.js';
import { type Environment, revisionOf } from '../harness/environment.js';
import type { Report } from '../harness/results.js';

/**
 * Merges reports of several calls. A new run of a suite replaces all of its earlier results, because ratios are valid only within one
 * run. Other results stay with their own revision and date. The environment is that of the last call.
 */
export function mergeReports(earlier: Report, latest: Report, suitesRun: readonly string[]): Report {
  const isKept = ({ suite }: { suite: string }) => !suitesRun.includes(suite);
  return {
    environment: latest.environment,
    results: [...earlier.results.filter(isKept), ...latest.results],
    ratios: [...earlier.ratios.filter(isKept), ...latest.ratios],
    failures: [...earlier.failures.filter(isKept), ...latest.failures],
  };
}

/** Returns null if the file does not exist yet. Earlier results without a stamp get the stamp of their file. */
export async function readReport(file: string): Promise<Report | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const report = JSON.parse(text) as Report;
  const stamp = { revision: revisionOf(report.environment), date: report.environment.date };
  return { ...report, results: report.results.map((result) => ({ ...stamp, ...result })) };
}

/** @throws StartupError if figures of the two environments do not belong in one table */
export function assertComparable(earlier: Environment, now: Environment, file: string): void {
  const differences = (
    [
      ['the dataset', describeDataset],
      ['the processor', ({ cores, cpuModel }) => `${cores} × ${cpuModel}`],
      ['Node.js', ({ node }) => node],
      ['mongod', ({ mongod }) => mongod],
      ['the target', ({ target }) => target ?? 'this machine'],
    ] as [string, (environment: Environment) => string][]
  ).flatMap(([name, read]) => {
    const [then, here] = [read(earlier), read(now)];
    return then === here ? [] : [`${name} was ${then} and is ${here}`];
  });
  if (differences.length === 0) return;
  throw new StartupError(`--merge joins only what is comparable, and in ${file} ${differences.join('; ')}.`);
}

function describeDataset({ dataset }: Environment): string {
  return dataset === null ? 'none' : `${dataset.profile}, seed ${dataset.seed}`;
}
