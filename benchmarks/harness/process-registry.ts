import { readTreeUsage } from './process-tree.js';

type Stoppable = { name: string; pid: number | null; stop(): Promise<void> };

/** Processes of this run, stopped in reverse order at the end, on Ctrl-C and on SIGTERM. */
export class ProcessRegistry {
  private readonly running: Stoppable[] = [];
  private stopping: Promise<void> | null = null;

  add(entry: Stoppable): void {
    this.running.push(entry);
  }

  remove(entry: Stoppable): void {
    const index = this.running.indexOf(entry);
    if (index >= 0) this.running.splice(index, 1);
  }

  get isStopping(): boolean {
    return this.stopping !== null;
  }

  stopAll(): Promise<void> {
    this.stopping ??= (async () => {
      for (let entry = this.running.pop(); entry; entry = this.running.pop()) await entry.stop().catch(() => {});
    })();
    return this.stopping;
  }

  /** Makes a signal stop all processes and exit. A second signal kills the remaining processes and exits immediately. */
  handleSignals(onStop: () => void): () => void {
    const onSignal = (signal: NodeJS.Signals) => {
      if (this.stopping) {
        for (const entry of this.running) if (entry.pid !== null) killTree(entry.pid);
        process.exit(130);
      }
      onStop();
      void this.stopAll().then(() => process.exit(signal === 'SIGINT' ? 130 : 143));
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const signal of signals) process.on(signal, onSignal);
    return () => {
      for (const signal of signals) process.off(signal, onSignal);
    };
  }
}

/** Kills a process and its descendants with SIGKILL, for processes that did not stop on request. */
export function killTree(pid: number): void {
  for (const member of readTreeUsage(pid).pids.reverse()) {
    try {
      process.kill(member, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  }
}
