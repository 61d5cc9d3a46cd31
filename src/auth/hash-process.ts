import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Options } from '@node-rs/argon2';
import { CodedError } from '../common/errors.js';

/** To make a hash, or to compare a password with one. */
export type HashJob = { password: string; options: Options } | { password: string; passwordHash: string };
type HashAnswer = { value: string | boolean } | { problem: string };
type Waiting = { resolve: (value: string | boolean) => void; reject: (error: Error) => void };

/** How such a process is known among those of the machine. */
export const HASH_TITLE = 'opencanvas-hash';

/** The whole program of the process. It is passed as text, so it must not use anything from outside of its own body. */
/* istanbul ignore next: an instrumented body would refer to counters that do not exist over there */
function serveHashes(argon2: string): void {
  const os = process.getBuiltinModule('node:os');
  const { createRequire } = process.getBuiltinModule('node:module');
  const { hashSync, verifySync } = createRequire(argon2)(argon2) as typeof import('@node-rs/argon2');
  os.setPriority(os.constants.priority.PRIORITY_LOW);
  try {
    // where the kernel shares the CPU out by session, the session has a weight of its own: a tenth of a usual one
    process.getBuiltinModule('node:fs').writeFileSync('/proc/self/autogroup', '10');
  } catch {
    // another kernel: the priority above counts
  }
  process.on('message', (job: HashJob) => {
    try {
      const value = 'options' in job ? hashSync(job.password, job.options) : verifySync(job.passwordHash, job.password);
      process.send!({ value });
    } catch (error) {
      process.send!({ problem: String(error) });
    }
  });
  // whoever asked is gone, whatever the reason
  process.on('disconnect', () => process.exit(0));
}

/**
 * One process that does nothing but argon2, at the lowest priority: the kernel gives it what the event loops leave over. It has a
 * session of its own, because Linux shares the CPU out among sessions first, and hashing must not use up the share of those who
 * serve. Started by its first job; one job at a time. Passwords travel over a pipe between the two and are written nowhere.
 */
export class HashProcess {
  private child: ChildProcess | undefined;
  private waiting: Waiting | undefined;

  /**
   * A job whose process ended in the middle of it is done again by another one: it changes nothing.
   * @throws CodedError `overloaded` when that one ended as well
   */
  async run(job: HashJob): Promise<string | boolean> {
    try {
      return await this.ask(job);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return this.ask(job);
    }
  }

  stop(): void {
    this.child?.kill('SIGKILL');
  }

  private ask(job: HashJob): Promise<string | boolean> {
    const child = (this.child ??= this.start());
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      child.ref();
      child.channel?.ref();
      child.send(job, () => undefined); // a process that is gone says so with its end
    });
  }

  private start(): ChildProcess {
    const argon2 = createRequire(import.meta.url).resolve('@node-rs/argon2');
    const source = `process.title = '${HASH_TITLE}';\n(${serveHashes.toString()})(${JSON.stringify(argon2)})`;
    const child = spawn(process.execPath, ['-e', source], {
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('message', (answer: HashAnswer) => {
      const waiting = this.waiting;
      this.waiting = undefined;
      // a process that waits for work must not keep this one alive
      child.unref();
      child.channel?.unref();
      if ('value' in answer) waiting?.resolve(answer.value);
      else waiting?.reject(new Error(answer.problem));
    });
    const ended = (): void => {
      if (this.child !== child) return;
      this.child = undefined;
      const detail = 'The password could not be checked at this moment; try again.';
      this.waiting?.reject(new CodedError('overloaded', detail, { retryAfterSeconds: 1 }));
      this.waiting = undefined;
    };
    child.on('error', ended);
    child.on('exit', ended);
    return child;
  }
}
