import { testMongodBinary } from '../support/mongo.js';
import { NETWORK_FAULTS } from './suite/fault-kinds.js';
import { RUN_MS, runFaults } from './suite/fault-run.js';

/** The loss is detected after 4.5 s. */
const FELT_FROM_MS = 1_500;

describe('a network that silently loses its data, or delivers it late', () => {
  // the checks during a fault (cached reads, readiness, liveness, the format of each 503): suite/recovery.ts
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
      for (const { name, writeMs, readMs } of report.outcomes)
        console.log(`${name}: writes ${writeMs} ms and reads ${readMs} ms after it carried again`);
      console.log(`slowest answer ${report.slowest.ms.toFixed(0)} ms, ${report.staleReads} stale ones`);
      expect(report.lost).toEqual([]);
      expect(report.duplicated).toEqual([]);
      expect(report.auditDifferences).toEqual([]);
      expect(report.violations).toEqual([]);
      // the loss had an effect: a request waited until it was detected
      expect(report.slowest.ms).toBeGreaterThan(FELT_FROM_MS);
      expect(report.staleReads).toBeGreaterThan(0);
      expect(report.outcomes).toHaveLength(NETWORK_FAULTS.length);
    },
    RUN_MS,
  );
});
