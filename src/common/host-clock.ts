/** Milliseconds since the machine started: the same number in every process of a host, whatever is done to the time of day. */
export function hostClock(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
