import type { MongoClient } from 'mongodb';

const CHECK_EVERY_MS = 5_000;

/** parts of the driver that its types do not declare */
type Internals = { topology?: { s: { servers: Map<string, { pool: { options: object } }> } } };

/**
 * Checks the minimum size of each pool every 5 s. The driver has no option for its interval of 100 ms, and these ten wakeups a second were
 * half of the CPU time of an idle process.
 */
export function checkPoolsRarely(client: MongoClient): void {
  const apply = (): void => {
    for (const { pool } of (client as unknown as Internals).topology?.s.servers.values() ?? [])
      pool.options = Object.freeze({ ...pool.options, minPoolSizeCheckFrequencyMS: CHECK_EVERY_MS });
  };
  apply();
  client.on('connectionPoolReady', apply);
}
