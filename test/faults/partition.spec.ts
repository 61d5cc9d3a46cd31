import { testMongodBinary } from '../support/mongo.js';
import { PARTITION_FAULTS } from './suite/fault-kinds.js';
import { RUN_MS, runFaults } from './suite/fault-run.js';

describe('a primary member that is cut off from its set, but not from its clients', () => {
  it(
    'loses no acknowledged write, and the server uses the elected primary',
    async () => {
      const report = await runFaults({
        ...{ binary: testMongodBinary(), seed: 7, faults: 2, kinds: PARTITION_FAULTS, members: 3, hasNetwork: true },
        ...{ writers: 16, accounts: 160, posts: 40, checkEvery: 100 },
      });
      for (const { names, writeMs, readMs } of report.outcomes)
        console.log(`${names.join()}: writes ${writeMs} ms and reads ${readMs} ms after they reach each other again`);
      console.log(`slowest answer ${report.slowest.ms.toFixed(0)} ms, ${report.counts.retried} sent again`);
      expect(report.lost).toEqual([]);
      expect(report.duplicated).toEqual([]);
      expect(report.auditDifferences).toEqual([]);
      expect(report.violations).toEqual([]);
      expect(report.outcomes).toHaveLength(2);
    },
    RUN_MS,
  );
});
