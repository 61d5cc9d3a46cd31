import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Options } from '@node-rs/argon2';
import { CodedError } from '../common/errors.js';

/** To make a hash, or to compare a password with one. */
export type HashJob = { password: string; options: Options } | { password: string; passwordHash: string };
type HashAnswer = { value: string | boolean } | { problem: string };
type PendingCall = { resolve: (value: string | boolean) => void; reject: (error: Error) => void };

/** The title of such a process in the process list. */
export const HASH_TITLE = 'opencanvas-hash';

/** The program of the process. It is passed as text, so it must use nothing from outside its body. */
/* istanbul ignore next: an instrumented body would refer to counters that do not exist over there */
function serveHashes(argon2: string): void {
  const os = process.getBuiltinModule('node:os');
  const { createRequire } = process.getBuiltinModule('node:module');
  const { hashSync, verifySync } = createRequire(argon2)(argon2) as typeof import('@node-rs/argon2');
  os.setPriority(os.constants.priority.PRIORITY_LOW);
  try {
    // Linux shares the CPU among sessions first: this one gets a tenth of the usual weight
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
  // the web process is gone
  process.on('disconnect', () => process.exit(0));
}

/**
 * A process that only runs argon2, at the lowest priority and in a session of its own, so that hashing takes the CPU that the event
 * loops leave over (docs/adr/0007). Started by its first job; one job at a time. Passwords travel over its pipe only.
 */
export class HashProcess {
  private child: ChildProcess | undefined;
  private waiting: PendingCall | undefined;

  /**
   * A job whose process ended is tried once more by a new one.
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
      child.send(job, () => undefined); // when the process is gone, `ended` rejects
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
      // an idle one must not keep this process alive
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
