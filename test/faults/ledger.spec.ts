import { testMongodBinary } from '../support/mongo.js';
import { LEDGER_OPERATIONS } from './suite/operations.js';
import { REPLICA_SET_FAULTS, SINGLE_FAULTS } from './suite/fault-kinds.js';
import { RUN_MS, runFaults } from './suite/fault-run.js';

/** Small enough for every test run; `npm run faults` is the long form. */
const SHORT = { seed: 7, writers: 16, accounts: 160, posts: 40, checkEvery: 100, leastAcknowledged: 3_000 };

const byName = (pattern: RegExp) =>
  SINGLE_FAULTS.filter(({ name }) => pattern.test(name) && !name.endsWith('for up to 70 s'));

describe('the ledger', () => {
  it(
    'applies every acknowledged write once after kills of processes and mongod',
    async () => {
      // The fast kinds. The long form and cluster.spec.ts restart the whole host and run rolling restarts.
      const kinds = byName(/web worker|writer|jobs process|kill -9 mongod|frozen/);
      const report = await runFaults({ ...SHORT, binary: testMongodBinary(), kinds, faults: 8, members: 1 });
      expect(report.lost).toEqual([]);
      expect(report.duplicated).toEqual([]);
      expect(report.auditDifferences).toEqual([]);
      expect(report.wronglyRanked).toEqual([]);
      expect(report.violations).toEqual([]);
      expect([...report.operations.keys()].toSorted()).toEqual(LEDGER_OPERATIONS.toSorted());
      expect(report.outcomes.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThanOrEqual(5);
    },
    RUN_MS,
  );

  it(
    'applies them also after the loss of the primary of a replica set',
    async () => {
      const kinds = REPLICA_SET_FAULTS.filter(({ name }) => /steps down|kill -9 the primary member/.test(name));
      const report = await runFaults({ ...SHORT, binary: testMongodBinary(), kinds, faults: 2, members: 3 });
      expect(report.lost).toEqual([]);
      expect(report.duplicated).toEqual([]);
      expect(report.auditDifferences).toEqual([]);
      expect(report.wronglyRanked).toEqual([]);
      expect(report.violations).toEqual([]);
    },
    RUN_MS,
  );
});
