import cluster, { type Worker } from 'node:cluster';
import type { HostMetrics } from './host-metrics.js';
import type { IpcRouter } from './bus.js';
import { type DrainOptions, type FromPrimary, type HubMember, isMessage, type ToPrimary } from './ipc.js';
import { Heartbeat } from './process-health.js';
import type { ProcessRole } from './process-role.js';

export type ProcessOptions = {
  /** the script to run, with the role as its only argument */
  entry: string;
  environment: Record<string, string>;
  /** a ready process that does not respond for this long is killed: it is stuck in a loop, or frozen */
  silenceTimeoutMs: number;
  /** receives its metrics */
  metrics: HostMetrics;
};

export type Exit = { code: number | null; signal: string | null };

/** A process that is not ready after this time counts as broken and is killed. */
const READY_TIMEOUT_MS = 60_000;
/** The time for closing (pools, running commits) after the deadline of a drain, before the process is killed. */
const KILL_AFTER_DEADLINE_MS = 6_000;

/** Nest replaces fastify's error handler, and fastify warns of that once per process. */
const EVERY_PROCESS = ['--disable-warning=FSTWRN004'];
/** V8 lets garbage grow with the machine's memory: otherwise the resident memory of a score run would grow with its duration. */
const JOBS = ['--heap-growing-percent=40'];

/** Flags of node for a process of this role. */
export function nodeFlagsOf(role: ProcessRole): string[] {
  return role === 'jobs' ? [...EVERY_PROCESS, ...JOBS] : EVERY_PROCESS;
}

/** One forked process, from fork to exit. */
export class ManagedProcess implements HubMember {
  readonly startedAt = performance.now();
  readonly exited: Promise<Exit>;
  /** true when the process reports that it is ready; false when it exits or refuses before */
  readonly ready: Promise<boolean>;
  isReady = false;
  isStopping = false;
  /** the process's own reason for not starting */
  refusal: string | undefined;
  /** whether it was killed because it did not respond */
  wasSilent = false;
  private readonly worker: Worker;
  private readonly heartbeat: Heartbeat;

  constructor(
    readonly role: ProcessRole,
    hub: IpcRouter,
    options: ProcessOptions,
  ) {
    // the kernel gives a connection to an idle worker; the primary would hand it to a busy one, too
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: options.entry, args: [role], execArgv: [...process.execArgv, ...nodeFlagsOf(role)] });
    this.worker = cluster.fork(options.environment);
    this.exited = new Promise((resolve) => {
      this.worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
      // a send to a process that has just exited; or no process could be started (limit of processes or descriptors), which has no exit
      this.worker.on('error', ({ message }: Error) => {
        if (this.worker.process.pid === undefined) resolve({ code: null, signal: message });
      });
    });
    this.ready = new Promise((resolve) => {
      const timer = setTimeout(() => this.kill(), READY_TIMEOUT_MS);
      const settle = (isReady: boolean): void => {
        clearTimeout(timer);
        resolve(isReady);
      };
      this.worker.on('message', (message: unknown) => {
        if (!isMessage(message)) return;
        this.hear(message as ToPrimary, hub, options.metrics);
        if (this.isReady) settle(true);
      });
      void this.exited.then(() => settle(false));
    });
    this.heartbeat = new Heartbeat(options.silenceTimeoutMs, {
      beat: () => this.send({ type: 'beat' }),
      onSilence: () => {
        this.wasSilent = true;
        this.kill();
      },
    });
    // its messages may still be read after its exit, but not after this event
    this.worker.once('disconnect', () => options.metrics.end(this));
    hub.join(this);
    void this.exited.then(() => {
      this.heartbeat.stop();
      hub.leave(this);
    });
  }

  get pid(): number {
    return this.worker.process.pid ?? 0;
  }

  send(message: FromPrimary): void {
    if (this.worker.isConnected()) this.worker.send(message, () => {});
  }

  /** Asks the process to finish and exit, and kills it when it does not. Resolves when it has exited. */
  async drain(options: DrainOptions): Promise<void> {
    this.isStopping = true;
    this.send({ type: 'drain', options });
    const timer = setTimeout(() => this.kill(), options.noticeMs + options.deadlineMs + KILL_AFTER_DEADLINE_MS);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.worker.process.kill('SIGKILL');
  }

  private hear(message: ToPrimary, hub: IpcRouter, metrics: HostMetrics): void {
    if (message.type === 'ready') {
      this.isReady = true;
      this.heartbeat.start();
    } else if (message.type === 'alive') this.heartbeat.onPong();
    else if (message.type === 'refused') this.refusal = message.message;
    else if (message.type === 'metrics') metrics.report(this, message.metrics);
    else hub.hear(this, message);
  }
}
