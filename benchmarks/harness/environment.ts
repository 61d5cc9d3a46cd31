import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem } from 'node:os';

/** Stamp of every result, because a figure needs its machine, revision and data. */
export type Environment = {
  date: string;
  revision: string;
  hasLocalChanges: boolean;
  node: string;
  mongod: string;
  os: string;
  cpuModel: string;
  cores: number;
  memoryGiB: number;
  dataset: { profile: string; seed: number; counts: Record<string, number> } | null;
  seconds: number;
  runs: number;
  target: string | null;
};

/** Returns the revision, and whether there were local changes. */
export function revisionOf({ revision, hasLocalChanges }: Pick<Environment, 'revision' | 'hasLocalChanges'>): string {
  return revision + (hasLocalChanges ? ' with local changes' : '');
}

export function describeMachine(): Pick<
  Environment,
  'date' | 'revision' | 'hasLocalChanges' | 'node' | 'os' | 'cpuModel' | 'cores' | 'memoryGiB'
> {
  return {
    date: new Date().toISOString(),
    revision: git(['rev-parse', '--short=12', 'HEAD']) ?? 'unknown',
    hasLocalChanges:
      (git(['status', '--porcelain', '--untracked-files=no', '--', '.', ':!docs', ':!benchmarks/results']) ?? '') !==
      '',
    node: process.version,
    os: `${process.platform} ${release()}`,
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}

function git(args: string[]): string | null {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
