const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm forwards a Ctrl-C that the process has already received from the terminal: a second signal this soon is the same one. */
const ECHO_MS = 1_000;

/** The first stop signal starts a graceful stop; another one at least a second later stops immediately. */
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

/** Writing to a closed terminal must not end the process before its cleanup. */
export function ignoreClosedTerminal(): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}

/** The text for a failure: a StartupError has only its sentence, any other error its stack. */
export function describeFailure(error: unknown): unknown {
  return error instanceof Error && error.name === 'StartupError' ? error.message : error;
}

/** Exits with code 1, or the code that was set, when `start` fails. */
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
