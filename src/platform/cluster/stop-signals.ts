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
