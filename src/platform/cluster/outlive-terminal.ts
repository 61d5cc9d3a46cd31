/** Writing to a terminal that was closed must not end the process before it has cleaned up. */
export function outliveTerminal(): void {
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}
