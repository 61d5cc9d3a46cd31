import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Options } from '@node-rs/argon2';
import { CodedError } from '../common/errors.js';
import { JobProcess } from '../platform/processes/job-process.js';
import { setLowestPriority } from '../platform/processes/lowest-priority.js';

/** Hashes a password, or compares it with a hash. */
export type HashJob = { password: string; options: Options } | { password: string; passwordHash: string };
type HashResult = { value: string | boolean } | { problem: string };

/** The name of the process in the process list. */
export const HASH_TITLE = 'opencanvas-hash';

/** Runs in the hash process. The function is passed as text, so it must not use anything outside of its body. */
/* istanbul ignore next: an instrumented body would refer to counters that the hash process lacks */
function serveHashes(argon2: string): void {
  const { createRequire } = process.getBuiltinModule('node:module');
  const { hashSync, verifySync } = createRequire(argon2)(argon2) as typeof import('@node-rs/argon2');
  process.on('message', (job: HashJob) => {
    try {
      const value = 'options' in job ? hashSync(job.password, job.options) : verifySync(job.passwordHash, job.password);
      process.send!({ value });
    } catch (error) {
      process.send!({ problem: String(error) });
    }
  });
  // The web process has exited.
  process.on('disconnect', () => process.exit(0));
}

/**
 * Runs argon2, one job at a time, in a process of the lowest priority (PROCESS_LOW_PRIORITY) and of its own session, so that hashing uses
 * only the CPU that the event loops do not need (docs/adr/0007). Passwords are sent over its pipe only.
 */
export class HashProcess {
  private readonly process: JobProcess<HashJob, HashResult>;

  constructor(hasLowPriority: boolean) {
    this.process = new JobProcess(() => startProcess(hasLowPriority));
  }

  /**
   * Retries a job once in a new process if its process exits.
   * @throws CodedError `overloaded` if the second process exits, too
   */
  async run(job: HashJob): Promise<string | boolean> {
    const result = await this.process
      .run(job)
      .catch(() => this.process.run(job))
      .catch(() => {
        const detail = 'The password could not be checked. Try again.';
        throw new CodedError('overloaded', detail, { retryAfterSeconds: 1 });
      });
    if ('problem' in result) throw new Error(result.problem);
    return result.value;
  }

  stop(): void {
    this.process.stop();
  }
}

function startProcess(hasLowPriority: boolean): ChildProcess {
  const argon2 = createRequire(import.meta.url).resolve('@node-rs/argon2');
  const priority = hasLowPriority ? [programText(setLowestPriority)] : [];
  const source = [`process.title = '${HASH_TITLE}'`, ...priority, programText(serveHashes, argon2)].join(';\n');
  return spawn(process.execPath, ['-e', source], { detached: true, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

/**
 * Returns source for `node -e` that calls the function, so that the small process loads no module of ours. The function must not use
 * anything outside of its body; esbuild adds calls of `__name` to a bundle.
 */
function programText<T extends unknown[]>(program: (...args: T) => void, ...args: T): string {
  const values = args.map((arg) => JSON.stringify(arg)).join(', ');
  return `{ const __name = (value) => value; (${program.toString()})(${values}); }`;
}
