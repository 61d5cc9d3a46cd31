import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import { CodedError } from '../../common/errors.js';
import { KeyedMutex, Semaphore } from '../../common/semaphore.js';
import { AppConfig } from '../../config/app-config.js';
import { counter, exportGauge, histogram } from '../prometheus/metric.js';
import type { ThreadJob, ThreadStart } from './cpu-pool.thread.js';
import { type CpuTask, TaskLimitExceeded } from './cpu-task.js';

const PROGRAM = fileURLToPath(new URL('./cpu-pool.thread.js', import.meta.url));
/** At least two threads, because one slow task must not block all others. */
const MIN_THREADS = 2;
/** Maximum queued tasks per thread. The pool rejects further tasks. */
const WAITING_PER_THREAD = 100;
const MAX_WAIT_MS = 3_000;
/** Maximum queued tasks of one author, which run one after the other. */
const WAITING_PER_AUTHOR = 20;
const MAX_AUTHOR_WAIT_MS = 20_000;
/** The maximum time for starting a thread and loading a module. An idle machine needs a fraction of a second. */
const MAX_START_MS = 30_000;
/** The time that a closing application waits for loading threads. */
const LOADED_MS = 10_000;
const POLL_INTERVAL_MS = 20;
const RETRY_MS = 1_000;
/** The heap of a thread, without buffers. */
const MAX_HEAP_MB = 256;
/** The part of it for new objects. V8's own limit, 48, costs 40 MiB more for two threads, and saves no CPU time. */
const MAX_YOUNG_MB = 16;
/** Lower priority than serving (per thread, on Linux). A still lower priority would stretch a task of 30 ms to a second on a busy host. */
const NICE = 5;

const seconds = histogram({
  name: 'opencanvas_cpu_task_seconds',
  help: 'Duration of tasks of the CPU pool without waiting, by outcome',
  labelNames: ['task', 'outcome'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
});
const rejections = counter({
  name: 'opencanvas_cpu_tasks_refused_total',
  help: 'Tasks that the CPU pool rejected because its queue was full or the wait too long',
  labelNames: ['task'],
});

type Outcome = 'done' | 'failed' | 'limit' | 'not started';

/** Runs tasks in low-priority threads. Terminates and replaces the thread of a task that exceeds its limits. */
@Injectable()
export class CpuPool implements OnApplicationShutdown {
  /** A task may take this multiple of its limit in wall time on a host that is short of CPU. */
  maxWall = 10;
  /** How often a task is tried that finds no thread or too little CPU. A request is tried once, because its client tries again. */
  tries = 1;
  private readonly logger = new Logger('CpuPool');
  private readonly threads: number;
  private piscina: Piscina | undefined;
  private readonly semaphore: Semaphore;
  /** all threads except one, so that readers never delay the task of an author */
  private readonly readers: Semaphore;
  private readonly authors = new KeyedMutex({ waiting: WAITING_PER_AUTHOR, waitMs: MAX_AUTHOR_WAIT_MS });
  private readonly onStart = new Map<number, (thread: string | null) => void>();
  private lastId = 0;

  constructor({ http, machine }: AppConfig) {
    // Each process of the host has a pool.
    this.threads = Math.max(MIN_THREADS, Math.ceil(machine.cpus / http.workers));
    const limits = { waiting: this.threads * WAITING_PER_THREAD, waitMs: MAX_WAIT_MS };
    this.semaphore = new Semaphore({ ...limits, running: this.threads });
    this.readers = new Semaphore({ ...limits, running: this.threads - 1 });
    exportGauge({
      name: 'opencanvas_cpu_tasks_waiting',
      help: 'Tasks waiting for a thread of the CPU pool',
      read: () => this.semaphore.waiting + this.readers.waiting,
    });
  }

  /**
   * @param author the account that waits for the result and runs one task at a time; null: readers
   * @throws CodedError `overloaded`: no thread becomes free in time
   * @throws TaskLimitExceeded, also after the last of several tries
   * @throws the error of the task
   */
  async run<Input, Output>(
    task: CpuTask<(input: Input) => Output | Promise<Output>>,
    input: NoInfer<Input>,
    author: string | null,
  ): Promise<Output> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.runOnce(task, input, author);
      } catch (error) {
        if (this.tries === 1 || !isOverloaded(error)) throw error;
        if (attempt === this.tries) throw new TaskLimitExceeded(`${task.name} found too little CPU`);
        await sleep(RETRY_MS);
      }
    }
  }

  /** Waits for loading threads, because V8 of Node 24 and later may crash the process when a loading thread is terminated. */
  async onApplicationShutdown(): Promise<void> {
    const { piscina } = this;
    if (piscina === undefined) return;
    const until = performance.now() + LOADED_MS;
    while (piscina.idleThreads < piscina.threads.length && performance.now() < until) await sleep(POLL_INTERVAL_MS);
    await piscina.destroy();
  }

  private async runOnce<Input, Output>(
    task: CpuTask<(input: Input) => Output | Promise<Output>>,
    input: Input,
    author: string | null,
  ): Promise<Output> {
    const overloadError = (): CodedError => {
      rejections.inc({ task: task.name });
      return overloaded();
    };
    const runIn = async <T>(semaphore: Semaphore, work: () => Promise<T>): Promise<T> => {
      if (!(await semaphore.acquire(task.waitMs))) throw overloadError();
      return work().finally(() => semaphore.release());
    };
    const run = (): Promise<Output> => runIn(this.semaphore, () => this.runInThread(task, input));
    return author === null ? runIn(this.readers, run) : this.authors.run(author, run, overloadError);
  }

  private async runInThread<Input, Output>(
    { name, module, limitMs }: CpuTask<(input: Input) => Output | Promise<Output>>,
    input: Input,
  ): Promise<Output> {
    const id = ++this.lastId;
    const late = new AbortController();
    let outcome: Outcome = 'not started';
    let isStarved = false;
    let startedAt = performance.now();
    let timer = setTimeout(() => late.abort(), MAX_START_MS);
    this.onStart.set(id, (thread) => {
      clearTimeout(timer);
      outcome = 'failed';
      startedAt = performance.now();
      const cpuBefore = cpuMsOf(thread);
      const check = (): void => {
        const wallMs = performance.now() - startedAt;
        const usedMs = cpuBefore === null ? wallMs : (cpuMsOf(thread) ?? Infinity) - cpuBefore;
        isStarved = usedMs < limitMs && wallMs >= limitMs * this.maxWall;
        if (usedMs >= limitMs || isStarved) late.abort();
        else timer = setTimeout(check, Math.max(POLL_INTERVAL_MS, limitMs - usedMs));
      };
      timer = setTimeout(check, limitMs);
    });
    try {
      const job: ThreadJob = { id, module: module.href, input };
      const output = (await this.open().run(job, { signal: late.signal })) as Output;
      outcome = 'done';
      return output;
    } catch (error) {
      if (late.signal.aborted && (outcome === 'not started' || isStarved)) throw overloaded();
      const isOutOfMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!late.signal.aborted && !isOutOfMemory) throw error;
      outcome = 'limit';
      throw new TaskLimitExceeded(`${name} took more ${isOutOfMemory ? 'memory' : 'time'} than it may`);
    } finally {
      clearTimeout(timer);
      this.onStart.delete(id);
      seconds.observe({ task: name, outcome }, (performance.now() - startedAt) / 1_000);
    }
  }

  /** Starts threads with the first task, because their modules take memory that most processes do not need. */
  private open(): Piscina {
    if (this.piscina !== undefined) return this.piscina;
    this.piscina = new Piscina({
      filename: PROGRAM,
      // Piscina starts another thread when a task finds all others busy.
      minThreads: 1,
      maxThreads: this.threads,
      idleTimeout: Infinity,
      niceIncrement: NICE,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
    });
    this.piscina.on('message', ({ startedId, thread }: ThreadStart) => this.onStart.get(startedId)?.(thread));
    // Piscina replaces an idle thread that fails.
    this.piscina.on('error', (error: unknown) =>
      this.logger.error(`A thread of the CPU pool exited: ${String(error)}`),
    );
    return this.piscina;
  }
}

/** Returns the CPU time of a thread of this process (100 ticks a second on every Linux), or null without /proc. */
function cpuMsOf(thread: string | null): number | null {
  if (thread === null) return null;
  try {
    const stat = readFileSync(`/proc/${thread}/stat`, 'utf8');
    // The name, in brackets, may contain spaces. User and system time are the 12th and 13th field after the name.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

function isOverloaded(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'overloaded';
}

function overloaded(): CodedError {
  const detail = 'The server is busy. Try again in a moment.';
  return new CodedError('overloaded', detail, { retryAfterSeconds: 1 });
}
