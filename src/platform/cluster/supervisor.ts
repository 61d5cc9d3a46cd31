import { StartupError } from '../../common/errors.js';
import type { AppConfig } from '../../config/app-config.js';
import { withWriterSocket } from '../../config/process-variables.js';
import { HostMetrics } from './host-metrics.js';
import { IpcRouter } from './bus.js';
import { type Exit, ManagedProcess, type ProcessOptions } from './managed-process.js';
import type { ProfiledProcess } from './control-socket.js';
import type { DrainOptions } from './ipc.js';
import type { ProcessRole } from './process-role.js';
import { LOOP_CRASHES, RestartPolicy } from './process-health.js';
import { takeProfile } from '../processes/take-profile.js';
import { exportProcessMetrics, exportSupervision } from '../prometheus/process-metrics.js';
import { SocketDirectory } from './socket-directory.js';

export type GroupOptions = {
  config: AppConfig;
  environment: Record<string, string>;
  entry: string;
  log: (line: string) => void;
  /** Called when processes crash in a loop, so that restarts do not help. */
  onCrashLoop: (reason: string) => void;
};

export type RestartOutcome = { isDone: boolean; message: string };

const MIN_START_IDLE_MS = 60_000;
/** After this time the log names each process that is ready, so that a slow start shows its progress. */
const SLOW_START_MS = 15_000;

const STOPPING = 'Restart given up, the server stops.';
const START_ORDER: ProcessRole[] = ['writer', 'web', 'jobs'];

/** Starts, restarts, replaces and stops the web workers, the jobs process and the writer. */
export class Supervisor {
  private readonly hub = new IpcRouter();
  private readonly slots: Slot[];
  private readonly processOptions: ProcessOptions;
  /** of the writer's socket: access to it allows writes as any account */
  private readonly directory = new SocketDirectory();
  private readonly startedAt = performance.now();
  private hasStarted = false;
  private isStopping = false;
  private rolling: Promise<RestartOutcome> | undefined;
  private failStart: (error: StartupError) => void = () => {};

  constructor(private readonly options: GroupOptions) {
    const { config, environment, entry } = options;
    exportProcessMetrics('primary');
    this.processOptions = {
      entry,
      environment: withWriterSocket(environment, this.directory.pathOf('writer')),
      unresponsiveTimeoutMs: config.process.unresponsiveTimeoutMs,
      // No command of the driver takes longer than half of this.
      startIdleTimeoutMs: Math.max(MIN_START_IDLE_MS, 2 * config.mongo.socketTimeoutMs),
      metrics: new HostMetrics(() => this.processes.filter(({ isReady }) => isReady)),
    };
    this.slots = Array.from({ length: config.http.workers }, (_, at) => new Slot('web', `web ${at + 1}`));
    if (config.jobs.isEnabled) this.slots.push(new Slot('jobs', 'jobs'));
    // The writer is last, because pending writes of the other processes need it.
    this.slots.push(new Slot('writer', 'writer'));
    exportSupervision(() => this.slots);
  }

  /**
   * Resolves when every process is ready.
   * @throws StartupError if a process refuses to start or crashes repeatedly, after stopping all processes
   */
  async start(): Promise<void> {
    const failed = new Promise<never>((_resolve, reject) => (this.failStart = reject));
    try {
      await Promise.race([this.launchAll(), failed]);
      this.hasStarted = true;
    } catch (error) {
      this.kill();
      await Promise.all(this.processes.map((process) => process.exited));
      throw error;
    }
  }

  /**
   * Starts one process after the other, or one for every two cores: more at once delay the first response of a machine with little CPU.
   * The writer is first, because web workers accept writes as soon as they listen.
   */
  private async launchAll(): Promise<void> {
    const waiting = [...this.slots].sort((a, b) => START_ORDER.indexOf(a.role) - START_ORDER.indexOf(b.role));
    const launchNext = async (): Promise<void> => {
      for (let slot = waiting.shift(); slot !== undefined && !this.isStopping; slot = waiting.shift()) {
        this.launch(slot);
        await slot.firstReady;
      }
    };
    const lanes = Math.max(1, Math.floor(this.options.config.machine.cpus / 2));
    await Promise.all(Array.from({ length: lanes }, launchNext));
  }

  get processes(): ManagedProcess[] {
    return this.slots.flatMap((slot) => slot.processes);
  }

  /** The ready processes, the primary included. */
  get profiled(): ProfiledProcess[] {
    const others = this.slots.flatMap(({ name, current }): ProfiledProcess[] => {
      if (current?.isReady !== true) return [];
      return [{ name: name.replace(' ', '-'), pid: current.pid, profile: (options) => current.profile(options) }];
    });
    return [...others, { name: 'primary', pid: process.pid, profile: takeProfile }];
  }

  /** Drains all processes concurrently, then the writer. Resolves when all have exited. */
  async stop(options: DrainOptions): Promise<void> {
    this.isStopping = true;
    for (const slot of this.slots) clearTimeout(slot.retry);
    const isWriter = ({ role }: ManagedProcess): boolean => role === 'writer';
    const { processes } = this;
    await Promise.all(processes.filter((process) => !isWriter(process)).map((process) => process.drain(options)));
    await Promise.all(processes.filter(isWriter).map((process) => process.drain({ ...options, noticeMs: 0 })));
    this.directory.delete();
  }

  kill(): void {
    this.isStopping = true;
    for (const slot of this.slots) clearTimeout(slot.retry);
    for (const process of this.processes) process.kill();
    this.directory.delete();
  }

  /** Replaces all processes one at a time; an old process stops only when its replacement is ready. Concurrent calls share one restart. */
  async restart(drain: DrainOptions): Promise<RestartOutcome> {
    if (!this.hasStarted || this.isStopping) return { isDone: false, message: 'The server is starting or stopping.' };
    this.rolling ??= this.replaceAll(drain).finally(() => (this.rolling = undefined));
    return this.rolling;
  }

  private async replaceAll(drain: DrainOptions): Promise<RestartOutcome> {
    for (const [at, slot] of this.slots.entries()) {
      // `stop()` would miss a process that starts now.
      if (this.isStopping) return { isDone: false, message: STOPPING };
      const problem = await this.replace(slot, drain);
      if (problem === undefined) continue;
      // A stop signal also ends a process that starts.
      if (this.isStopping) return { isDone: false, message: STOPPING };
      const kept = at === 0 ? 'The old processes keep running.' : `${at} of ${this.slots.length} were replaced before.`;
      return { isDone: false, message: `Restart given up, the new ${slot.name} did not start: ${problem}. ${kept}` };
    }
    return { isDone: true, message: `Restarted ${this.slots.length} processes.` };
  }

  private async replace(slot: Slot, drain: DrainOptions): Promise<string | undefined> {
    let successor: ManagedProcess;
    try {
      successor = new ManagedProcess(slot.role, this.hub, this.processOptions);
    } catch (error) {
      return (error as Error).message;
    }
    slot.successor = successor;
    const isReady = await successor.ready;
    slot.successor = undefined;
    if (this.isStopping) {
      successor.kill();
      return 'the server stops';
    }
    if (!isReady) {
      const how = successor.describe(await successor.exited);
      return successor.startupError ?? `it ${how}`;
    }
    clearTimeout(slot.retry);
    slot.retiring = slot.current;
    slot.current = successor;
    this.watch(slot, successor);
    await slot.retiring?.drain(drain);
    slot.retiring = undefined;
    return undefined;
  }

  private launch(slot: Slot): void {
    try {
      slot.current = new ManagedProcess(slot.role, this.hub, this.processOptions);
      this.watch(slot, slot.current);
    } catch (error) {
      // The fork may fail, for example out of memory. The other processes continue.
      this.relaunch(slot, `could not be started (${(error as Error).message})`, { ranForMs: 0 });
    }
  }

  private watch(slot: Slot, process: ManagedProcess): void {
    void process.ready.then((isReady) => {
      if (!isReady) return;
      const isSlow = performance.now() - this.startedAt > SLOW_START_MS;
      if (this.hasStarted || isSlow) this.options.log(`${slot.name} (pid ${process.pid}) is ready`);
      slot.markReady();
    });
    void process.exited.then((exit) => this.onExit(slot, process, exit));
  }

  private onExit(slot: Slot, process: ManagedProcess, exit: Exit): void {
    if (slot.current !== process) return;
    slot.current = undefined;
    if (this.isStopping) return;
    const { isReady: wasReady, startupError } = process;
    const ranForMs = performance.now() - process.startedAt;
    this.relaunch(slot, `(pid ${process.pid}) ${process.describe(exit)}`, { wasReady, ranForMs, startupError });
  }

  private relaunch(
    slot: Slot,
    what: string,
    { wasReady = false, ranForMs, startupError }: { wasReady?: boolean; ranForMs: number; startupError?: string },
  ): void {
    const { delayMs, isLoop } = slot.policy.crashed(wasReady, ranForMs, startupError !== undefined);
    if (!this.hasStarted) {
      if (startupError !== undefined) return this.failStart(new StartupError(startupError));
      if (isLoop) return this.failStart(new StartupError(`Giving up: ${describeLoop(slot)}; the last one ${what}.`));
    } else if (
      isLoop &&
      startupError === undefined &&
      !this.slots.some(({ role, current }) => role === 'web' && current?.isReady)
    ) {
      return this.options.onCrashLoop(`Giving up: ${describeLoop(slot)}, and no other worker serves.`);
    }
    slot.restarts++;
    this.options.log(`${slot.name} ${what}; starting another in ${delayMs} ms`);
    slot.retry = setTimeout(() => this.launch(slot), delayMs);
  }
}

/** A place in the cluster for one process, across its restarts. */
class Slot {
  readonly policy = new RestartPolicy();
  /** Resolves when the first process of the slot is ready, after any number of attempts. */
  readonly firstReady: Promise<void>;
  markReady: () => void = () => {};
  current: ManagedProcess | undefined;
  restarts = 0;
  /** the replacement process during a rolling restart */
  successor: ManagedProcess | undefined;
  /** the replaced process until it exits */
  retiring: ManagedProcess | undefined;
  retry: NodeJS.Timeout | undefined;

  constructor(
    readonly role: ProcessRole,
    readonly name: string,
  ) {
    this.firstReady = new Promise((resolve) => (this.markReady = resolve));
  }

  get isUp(): boolean {
    return this.current?.isReady === true;
  }

  get processes(): ManagedProcess[] {
    return [this.current, this.successor, this.retiring].filter((process) => process !== undefined);
  }
}

function describeLoop({ name }: Slot): string {
  return `${name} ended ${LOOP_CRASHES} times before it was ready (its reason is printed above)`;
}
