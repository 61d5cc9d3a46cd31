import cluster, { type Worker } from 'node:cluster';
import type { HostMetrics } from './host-metrics.js';
import type { IpcRouter } from './bus.js';
import { type DrainOptions, type FromPrimary, type HubMember, isMessage, type ToPrimary } from './ipc.js';
import { readCpuMs } from '../processes/process-info.js';
import type { ProfileOptions } from '../processes/take-profile.js';
import { Heartbeat, StartDeadline } from './process-health.js';
import type { ProcessRole } from './process-role.js';

export type ProcessOptions = {
  /** the script to run; its only argument is the role */
  entry: string;
  environment: Record<string, string>;
  /** A ready process that does not respond within this time is killed. */
  unresponsiveTimeoutMs: number;
  /** A starting process is killed after this time without progress. */
  startIdleTimeoutMs: number;
  metrics: HostMetrics;
};

export type Exit = { code: number | null; signal: string | null };

const CHECK_START_EVERY_MS = 1_000;
/** The time to close pools and finish commits after the drain deadline, before the process is killed. */
const KILL_AFTER_DEADLINE_MS = 6_000;

/** Disables fastify's warning that Nest replaces its error handler. */
const EVERY_PROCESS = ['--disable-warning=FSTWRN004'];
/**
 * In MiB, about 20 times the live objects of a score run. V8 grows a heap faster the higher its limit is: by default (4 GiB on a large
 * machine) a run over 100,000 posts takes 350 MiB of memory, with this limit 220.
 */
const JOBS = ['--max-old-space-size=1024'];

export function nodeFlagsOf(role: ProcessRole): string[] {
  return role === 'jobs' ? [...EVERY_PROCESS, ...JOBS] : EVERY_PROCESS;
}

/** One forked process, from fork to exit. */
export class ManagedProcess implements HubMember {
  readonly startedAt = performance.now();
  readonly exited: Promise<Exit>;
  /** Resolves to true when the process is ready, and to false when it exits or refuses to start. */
  readonly ready: Promise<boolean>;
  isReady = false;
  isStopping = false;
  /** the error message of a process that refused to start */
  startupError: string | undefined;
  /** why the primary killed the process */
  killReason: string | undefined;
  private onProfiled: (error?: string) => void = () => {};
  private readonly worker: Worker;
  private readonly heartbeat: Heartbeat;

  constructor(
    readonly role: ProcessRole,
    hub: IpcRouter,
    options: ProcessOptions,
  ) {
    // Lets the kernel assign connections to idle workers. Round robin in the primary ignores their load.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ exec: options.entry, args: [role], execArgv: [...process.execArgv, ...nodeFlagsOf(role)] });
    this.worker = cluster.fork(options.environment);
    this.exited = new Promise((resolve) => {
      this.worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
      // Ignores send errors of an exited process. A failed fork (limit of processes or file descriptors) has no pid and emits no `exit`.
      this.worker.on('error', ({ message }: Error) => {
        if (this.worker.process.pid === undefined) resolve({ code: null, signal: message });
      });
    });
    this.ready = new Promise((resolve) => {
      const deadline = new StartDeadline(options.startIdleTimeoutMs / CHECK_START_EVERY_MS);
      const timer = setInterval(() => void this.checkStart(deadline), CHECK_START_EVERY_MS);
      const settle = (isReady: boolean): void => {
        clearInterval(timer);
        resolve(isReady);
      };
      this.worker.on('message', (message: unknown) => {
        if (!isMessage(message)) return;
        this.onMessage(message as ToPrimary, hub, options.metrics);
        if (this.isReady) settle(true);
      });
      void this.exited.then(() => settle(false));
    });
    this.heartbeat = new Heartbeat(options.unresponsiveTimeoutMs, {
      beat: () => this.send({ type: 'beat' }),
      onUnresponsive: () => {
        this.killReason = 'stopped responding';
        this.kill();
      },
    });
    // Messages may arrive after `exit`, but not after `disconnect`.
    this.worker.once('disconnect', () => options.metrics.removeProcess(this));
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

  /** Says how the process ended, for the log. */
  describe({ code, signal }: Exit): string {
    const ending = `ended with ${signal ?? `code ${code}`}`;
    if (this.startupError !== undefined) return this.startupError;
    if (this.killReason !== undefined) return `${this.killReason} and ${ending}`;
    return this.isReady ? ending : `${ending} before it was ready`;
  }

  /** Requests a graceful exit and kills a process that takes too long. Resolves when the process has exited. */
  async drain(options: DrainOptions): Promise<void> {
    this.isStopping = true;
    this.send({ type: 'drain', options });
    const timer = setTimeout(() => this.kill(), options.noticeMs + options.deadlineMs + KILL_AFTER_DEADLINE_MS);
    await this.exited;
    clearTimeout(timer);
  }

  /** @throws Error if the process cannot write the file, or exits before */
  profile(options: ProfileOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      this.onProfiled = (error) => (error === undefined ? resolve() : reject(new Error(error)));
      void this.exited.then(() => reject(new Error('The process exited before the profile was complete.')));
      this.send({ type: 'profile', options });
    });
  }

  kill(): void {
    this.worker.process.kill('SIGKILL');
  }

  private async checkStart(deadline: StartDeadline): Promise<void> {
    const reason = deadline.check((await readCpuMs(this.pid)) ?? 0);
    if (reason === undefined || this.isReady || this.isStopping) return;
    this.killReason = reason;
    this.kill();
  }

  private onMessage(message: ToPrimary, hub: IpcRouter, metrics: HostMetrics): void {
    if (message.type === 'ready') {
      this.isReady = true;
      this.heartbeat.start();
    } else if (message.type === 'alive') this.heartbeat.onPong();
    else if (message.type === 'refused') this.startupError = message.message;
    else if (message.type === 'profiled') this.onProfiled(message.error);
    else if (message.type === 'metrics') metrics.report(this, message.metrics);
    else if (message.type === 'metricsPage') void this.sendPage(metrics);
    else hub.publish(this, message.channel, message.message);
  }

  private async sendPage(metrics: HostMetrics): Promise<void> {
    this.send({ type: 'metricsPage', page: await metrics.page() });
  }
}
