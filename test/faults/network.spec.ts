import { testMongodBinary } from '../support/mongo.js';
import { NETWORK_FAULTS } from './suite/fault-kinds.js';
import { RUN_MS, runFaults } from './suite/fault-run.js';

/** Below the 4.5 s after which a loss is detected. */
const FELT_FROM_MS = 1_500;

describe('a network that silently loses its data, or delivers it late', () => {
  // suite/recovery.ts checks cached reads, readiness, liveness and the format of each 503 during a fault.
  it(
    'costs no acknowledged write, and the server recovers',
    async () => {
      const report = await runFaults({
        ...{
          binary: testMongodBinary(),
          seed: 7,
          faults: NETWORK_FAULTS.length,
          kinds: NETWORK_FAULTS,
          members: 1,
          hasNetwork: true,
        },
        ...{ writers: 16, accounts: 160, posts: 40, checkEvery: 100 },
      });
      for (const { names, writeMs, readMs } of report.outcomes)
        console.log(`${names.join()}: writes ${writeMs} ms and reads ${readMs} ms after it carried again`);
      console.log(`slowest answer ${report.slowest.ms.toFixed(0)} ms, ${report.staleReads} stale ones`);
      expect(report.lost).toEqual([]);
      expect(report.duplicated).toEqual([]);
      expect(report.auditDifferences).toEqual([]);
      expect(report.violations).toEqual([]);
      // The loss had an effect: a request waited until the loss was detected.
      expect(report.slowest.ms).toBeGreaterThan(FELT_FROM_MS);
      expect(report.staleReads).toBeGreaterThan(0);
      expect(report.outcomes).toHaveLength(NETWORK_FAULTS.length);
    },
    RUN_MS,
  );
});
