import { Worker } from 'node:worker_threads';
import { IndexLocked, IndexLost, IndexNotReady } from '../../search-index.js';

export type ThreadData = { role: 'writer' | 'reader'; path: string };
export type ThreadCall = { id: number; method: string; args: unknown[] };
type ThreadFailure = { name: string; message: string };
export type ThreadResult = { id: number; value: unknown } | { id: number; failure: ThreadFailure };
type MethodOf<T, Name extends keyof T> = Extract<T[Name], (...args: never[]) => unknown>;
type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };

const PROGRAM = new URL('./index.thread.js', import.meta.url);

/** Calls the methods of `T` in a thread, one after the other. The next call restarts a terminated thread. */
export class IndexThread<T extends object> {
  private worker: Worker | undefined;
  /** threads that have not exited, with those that `end` has replaced */
  private readonly running = new Set<Worker>();
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;
  private loaded: Promise<void> | undefined;

  constructor(private readonly data: ThreadData) {}

  async call<Name extends keyof T & string>(
    method: Name,
    ...args: Parameters<MethodOf<T, Name>>
  ): Promise<ReturnType<MethodOf<T, Name>>> {
    const worker = (this.worker ??= this.start());
    const id = ++this.lastId;
    const answered = new Promise<unknown>((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    worker.postMessage({ id, method, args } satisfies ThreadCall);
    return (await answered) as ReturnType<MethodOf<T, Name>>;
  }

  /** Resolves when the thread is ready or has exited, because its start takes longer than most calls. */
  async load(): Promise<void> {
    this.worker ??= this.start();
    await this.loaded;
  }

  /** Ends the thread after its current work. Also waits for threads that `end` has replaced, because exiting in a query aborts the process. */
  async close(): Promise<void> {
    this.worker?.postMessage({ id: 0, method: 'close', args: [] } satisfies ThreadCall);
    const exits = [...this.running].map((worker) => {
      worker.ref();
      return new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    });
    await Promise.all(exits);
  }

  /** Rejects pending calls. The thread exits when SQLite returns. The next call starts another thread. */
  end(): void {
    // Terminating a thread in a query aborts the process.
    this.worker?.postMessage({ id: 0, method: 'close', args: [] } satisfies ThreadCall);
    this.drop(new Error('the thread of the index was ended'));
  }

  private drop(error: Error): void {
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  private start(): Worker {
    const worker = new Worker(PROGRAM, { workerData: this.data });
    this.running.add(worker);
    worker.once('exit', () => this.running.delete(worker));
    this.loaded = new Promise((resolve) => {
      // The first message is not a response. If the thread exits first, its calls are rejected.
      worker.once('message', () => resolve());
      worker.once('exit', () => resolve());
    });
    // The thread runs as long as the process has work.
    worker.unref();
    worker.on('message', (result: ThreadResult) => {
      const waiting = this.waiting.get(result.id);
      this.waiting.delete(result.id);
      if ('failure' in result) waiting?.reject(errorOf(result.failure));
      else waiting?.resolve(result.value);
    });
    const ended = (error: Error): void => {
      if (this.worker === worker) this.drop(error);
    };
    worker.once('error', (error) => ended(error instanceof Error ? error : new Error(String(error))));
    worker.once('exit', () => ended(new Error('the thread of the index ended')));
    return worker;
  }
}

function errorOf({ name, message }: ThreadFailure): Error {
  const known = [IndexNotReady, IndexLocked, IndexLost].find((type) => type.name === name);
  if (known !== undefined) return new known(message);
  return Object.assign(new Error(message), { name });
}
