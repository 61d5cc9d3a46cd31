import cluster from 'node:cluster';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm forwards a Ctrl-C that the terminal has already sent to this process. A second signal within this time is a duplicate. */
const ECHO_MS = 1_000;

/** The first stop signal calls `stop`. Another one after at least a second calls `stopNow`. */
export function onStopSignal(stop: (signal: string) => void, stopNow: () => void): void {
  let firstAt: number | undefined;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        stop(signal);
      } else if (performance.now() - firstAt >= ECHO_MS) stopNow();
    });
  }
}

/** Stops the host of this process as a stop signal does: the primary drains all processes. */
export function stopHost(): void {
  process.kill(cluster.isWorker ? process.ppid : process.pid, 'SIGTERM');
}

/** Ignores write errors of a closed terminal, which would end the process before its cleanup. */
export function ignoreClosedTerminal(): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}

/** Returns the message of a StartupError, or any other error with its stack. */
export function describeFailure(error: unknown): unknown {
  return error instanceof Error && error.name === 'StartupError' ? error.message : error;
}

/** Runs `start`. Exits with code 1, or the exit code already set, if it fails. */
export async function exitWithReason(
  start: () => Promise<void>,
  report = (error: unknown): void => console.error(describeFailure(error)),
): Promise<void> {
  try {
    await start();
  } catch (error) {
    report(error);
    process.exit(process.exitCode ?? 1);
  }
}
