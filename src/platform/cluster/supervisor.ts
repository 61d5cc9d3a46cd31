import { monotonicMs } from '../../common/monotonic.js';
import { StartupError } from '../../common/errors.js';
import type { ClusterHub } from './hub.js';
import { type Exit, ManagedProcess, type ProcessOptions } from './managed-process.js';
import type { DrainOptions } from './messages.js';
import { RESTART_POLICY } from './restart-policy.js';
import { Slot } from './slot.js';

export type SupervisorOptions = ProcessOptions & {
  workers: number;
  hasJobs: boolean;
  log: (line: string) => void;
  /** nothing serves any more and starting again does not help */
  onGiveUp: (reason: string) => void;
};

export type RestartOutcome = { isDone: boolean; message: string };

/** Keeps the web workers, the jobs process and the writer running: replaces what ends, one by one when asked, and stops them all. */
export class Supervisor {
  private readonly slots: Slot[];
  private hasStarted = false;
  private isStopping = false;
  private rolling: Promise<RestartOutcome> | undefined;
  private failStart: (error: StartupError) => void = () => {};

  constructor(
    private readonly hub: ClusterHub,
    private readonly options: SupervisorOptions,
  ) {
    this.slots = Array.from({ length: options.workers }, (_, at) => new Slot('web', `web ${at + 1}`));
    if (options.hasJobs) this.slots.push(new Slot('jobs', 'jobs'));
    // the last to be replaced and to be stopped: what the others have under way ends with it
    this.slots.push(new Slot('writer', 'writer'));
  }

  /**
   * Resolves when every process is ready.
   * @throws StartupError with the reason a process refuses for, or when one crashes again and again; nothing runs then
   */
  async start(): Promise<void> {
    const failed = new Promise<never>((_resolve, reject) => (this.failStart = reject));
    const ready = Promise.all(this.slots.map((slot) => slot.firstReady));
    for (const slot of this.slots) this.launch(slot);
    try {
      await Promise.race([ready, failed]);
      this.hasStarted = true;
    } catch (error) {
      this.kill();
      await Promise.all(this.processes.map((process) => process.exited));
      throw error;
    }
  }

  get processes(): ManagedProcess[] {
    return this.slots.flatMap((slot) => slot.processes);
  }

  /** Drains all of them at once, and then the writer; resolves when none is left. */
  async stop(options: DrainOptions): Promise<void> {
    this.isStopping = true;
    for (const slot of this.slots) clearTimeout(slot.retry);
    const isWriter = ({ role }: ManagedProcess): boolean => role === 'writer';
    const { processes } = this;
    await Promise.all(processes.filter((process) => !isWriter(process)).map((process) => process.drain(options)));
    await Promise.all(processes.filter(isWriter).map((process) => process.drain({ ...options, noticeMs: 0 })));
  }

  /** Ends them without asking. */
  kill(): void {
    this.isStopping = true;
    for (const slot of this.slots) clearTimeout(slot.retry);
    for (const process of this.processes) process.kill();
  }

  /** Replaces every process, one at a time: the old one goes only when the new one is ready. A second call joins the first. */
  async rollingRestart(drain: DrainOptions): Promise<RestartOutcome> {
    if (!this.hasStarted || this.isStopping) return { isDone: false, message: 'The server is starting or stopping.' };
    this.rolling ??= this.replaceAll(drain).finally(() => (this.rolling = undefined));
    return this.rolling;
  }

  private async replaceAll(drain: DrainOptions): Promise<RestartOutcome> {
    for (const [at, slot] of this.slots.entries()) {
      const problem = await this.replace(slot, drain);
      if (problem === undefined) continue;
      const kept = at === 0 ? 'The old processes keep running.' : `${at} of ${this.slots.length} were replaced before.`;
      return { isDone: false, message: `Restart given up, the new ${slot.name} did not start: ${problem}. ${kept}` };
    }
    return { isDone: true, message: `Restarted ${this.slots.length} processes.` };
  }

  private async replace(slot: Slot, drain: DrainOptions): Promise<string | undefined> {
    const successor = this.fork(slot);
    slot.successor = successor;
    const isReady = await successor.ready;
    slot.successor = undefined;
    if (this.isStopping) return 'the server stops';
    if (!isReady) {
      const { code, signal } = await successor.exited;
      return successor.refusal ?? `it ended with ${signal ?? `code ${code}`}`;
    }
    clearTimeout(slot.retry);
    slot.retiring = slot.current;
    slot.current = successor;
    this.watch(slot, successor);
    await slot.retiring?.drain(drain);
    slot.retiring = undefined;
    return undefined;
  }

  private fork(slot: Slot): ManagedProcess {
    return new ManagedProcess(slot.role, this.hub, this.options);
  }

  private launch(slot: Slot): void {
    slot.current = this.fork(slot);
    this.watch(slot, slot.current);
  }

  private watch(slot: Slot, process: ManagedProcess): void {
    void process.ready.then((isReady) => {
      if (!isReady) return;
      if (this.hasStarted) this.options.log(`${slot.name} (pid ${process.pid}) is ready`);
      slot.markReady();
    });
    void process.exited.then((exit) => this.replaceEnded(slot, process, exit));
  }

  private replaceEnded(slot: Slot, process: ManagedProcess, { code, signal }: Exit): void {
    if (slot.current !== process) return;
    slot.current = undefined;
    if (this.isStopping) return;
    const { isReady: wasReady, refusal, wasSilent } = process;
    const { delayMs, isLoop } = slot.policy.crashed(wasReady, monotonicMs() - process.startedAt, monotonicMs());
    const why = wasSilent ? 'did not answer any more and ' : '';
    const how = refusal ?? `${why}ended with ${signal ?? `code ${code}`}${wasReady ? '' : ' before it was ready'}`;
    if (!this.hasStarted) {
      if (refusal !== undefined) return this.failStart(new StartupError(refusal));
      if (isLoop) return this.failStart(new StartupError(`Giving up: ${describeLoop(slot)}.`));
    } else if (isLoop && refusal === undefined && !this.slots.some(({ role, isReady }) => role === 'web' && isReady)) {
      return this.options.onGiveUp(`Giving up: ${describeLoop(slot)}, and no other worker serves.`);
    }
    this.options.log(`${slot.name} (pid ${process.pid}) ${how}; starting another in ${delayMs} ms`);
    slot.retry = setTimeout(() => this.launch(slot), delayMs);
  }
}

function describeLoop(slot: Slot): string {
  const { loopCrashes, loopWindowMs } = RESTART_POLICY;
  return `${slot.name} ended ${loopCrashes} times within ${loopWindowMs / 1_000} s before it was ready (its reason is printed above)`;
}
