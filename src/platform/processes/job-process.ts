import type { ChildProcess, Serializable } from 'node:child_process';

/** The process exited before it returned a result. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';

  /** @param signal the signal that killed the process, or null */
  constructor(readonly signal: NodeJS.Signals | null) {
    super(`the process exited (${signal ?? 'no signal'})`);
  }
}

/** A child process that runs one job at a time: one message in, one message out. A job starts the process if none is running. */
export class JobProcess<Job extends Serializable, Result> {
  private child: ChildProcess | undefined;
  private waiting: { resolve: (result: Result) => void; reject: (error: Error) => void } | undefined;

  constructor(private readonly start: () => ChildProcess) {}

  /** @throws ProcessEnded */
  run(job: Job): Promise<Result> {
    const child = (this.child ??= this.open());
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      child.ref();
      child.channel?.ref();
      child.send(job, () => undefined); // when the process has exited, `ended` rejects
    });
  }

  stop(): void {
    this.child?.kill('SIGKILL');
  }

  private open(): ChildProcess {
    const child = this.start();
    child.on('message', (result) => {
      const waiting = this.waiting;
      this.waiting = undefined;
      // An idle child must not block the exit of this process.
      child.unref();
      child.channel?.unref();
      waiting?.resolve(result as Result);
    });
    const ended = (signal: NodeJS.Signals | null): void => {
      if (this.child !== child) return;
      this.child = undefined;
      this.waiting?.reject(new ProcessEnded(signal));
      this.waiting = undefined;
    };
    child.on('error', () => ended(null));
    child.on('exit', (_code, signal) => ended(signal));
    return child;
  }
}
