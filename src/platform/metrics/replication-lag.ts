import type { Document } from 'mongodb';

/** Returns the lag of the slowest secondary in seconds by `replSetGetStatus`; null without a primary or a secondary. */
export function replicationLagOf(set: Document | undefined): number | null {
  const members = (set?.['members'] ?? []) as { stateStr: string; optimeDate: Date }[];
  const timesOf = (state: string): number[] =>
    members.filter(({ stateStr }) => stateStr === state).map(({ optimeDate }) => optimeDate.getTime());
  const [[primary], secondaries] = [timesOf('PRIMARY'), timesOf('SECONDARY')];
  if (primary === undefined || secondaries.length === 0) return null;
  return Math.max(0, primary - Math.min(...secondaries)) / 1_000;
}
