const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm passes Ctrl-C on to a process that got it from the terminal already: what follows this soon is the same wish. */
const ECHO_MS = 1_000;

/** The first stop signal asks nicely, a second one at least a second later means now. */
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

/** Writing to a terminal that was closed must not end the process before it has cleaned up. */
export function ignoreClosedTerminal(): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}

/** What a person reads of a failure: a StartupError is its sentence alone, anything else has its stack. */
export function describeFailure(error: unknown): unknown {
  return error instanceof Error && error.name === 'StartupError' ? error.message : error;
}

/** Ends the process with exit code 1, or the one that was set, when `start` fails. */
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
