import type { ProfileName } from '../seeds/profiles.js';
import type { Dataset } from './data/dataset.js';
import type { BenchMongod } from './harness/bench-mongod.js';
import type { ProcessRegistry } from './harness/process-registry.js';
import type { Progress } from './harness/progress.js';
import type { Failure, Ratio, Result } from './harness/results.js';
import type { SubjectPool } from './harness/subject.js';
import type { WarmupPolicy } from './harness/warmup.js';
import { describeResult } from './report/console-table.js';

export type BenchmarkOptions = {
  profile: ProfileName;
  seed: number;
  /** Timed seconds per run. */
  seconds: number;
  warmupSeconds: number;
  /** Policy for processes without an earlier load in a contest; null: `warmupSeconds` for these too. */
  warmupPolicy: WarmupPolicy | null;
  runs: number;
  /** null: the default of the suite. */
  connections: number | null;
  subjects: string[] | null;
  isQuick: boolean;
  /** The simulation, the overload and the login storm run this many times faster. */
  scale: number;
  /** Load this server instead of starting one. */
  target: string | null;
};

/** The tools and the results of every suite. */
export class BenchmarkContext {
  readonly results: Result[] = [];
  readonly ratios: Ratio[] = [];
  readonly failures: Failure[] = [];

  constructor(
    readonly options: BenchmarkOptions,
    readonly registry: ProcessRegistry,
    readonly progress: Progress,
    readonly subjects: SubjectPool,
    /** null with --target */
    readonly mongod: BenchMongod | null,
    /** Seeds on first use. */
    private readonly openDataset: (profile: ProfileName) => Promise<Dataset>,
    readonly tokenOf: (userId: string) => string,
    readonly tokenSecret: string,
    /** Scratch files of this run. */
    readonly directory: string,
    readonly cores: number,
  ) {}

  dataset(profile: ProfileName = this.options.profile): Promise<Dataset> {
    return this.openDataset(profile);
  }

  /** Returns whether a subject is requested; `product` includes `product@page1`. */
  wantsSubject(subject: string): boolean {
    const { subjects } = this.options;
    return subjects === null || subjects.includes(subject) || subjects.includes(subject.split('@', 1)[0]!);
  }

  /** Requested names that match no subject, most likely misspelled. */
  get missingSubjects(): string[] {
    const met = [...this.results, ...this.failures].flatMap(({ subject }) => [subject, subject.split('@', 1)[0]!]);
    return (this.options.subjects ?? []).filter((name) => !met.includes(name));
  }

  add(result: Result): void {
    this.results.push(result);
    this.progress.line(describeResult(result));
  }

  fail(failure: Failure): void {
    this.failures.push(failure);
    this.progress.line(`FAILED ${failure.suite} ${failure.subject}: ${failure.problem}`);
  }
}
