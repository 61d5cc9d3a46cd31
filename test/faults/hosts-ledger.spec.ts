import { testMongodBinary } from '../support/mongo.js';
import { describeWith } from '../support/optional.js';
import { SINGLE_FAULTS } from './suite/fault-kinds.js';
import { RUN_MS, runFaults } from './suite/fault-run.js';
import { rollingLine } from './suite/rolling-restarts.js';
import { runRolling } from './suite/rolling-run.js';

/** The long form: `npm run faults -- --hosts 2 --proxy nginx --faults 100 --writes 60000`. */
const FLEET = { hosts: 2, isProxied: true };

describeWith('nginx', 'two hosts behind nginx', () => {
  it(
    'apply every acknowledged write once after kills of processes, a host and mongod',
    async () => {
      const kinds = SINGLE_FAULTS.filter(({ name }) =>
        /kill -9 (a web worker|the|mongod)|a web worker frozen/.test(name),
      );
      const size = { seed: 11, writers: 24, accounts: 240, posts: 40, checkEvery: 100, leastAcknowledged: 500 };
      const bounds = { kinds, faults: 6, members: 1 };
      const report = await runFaults({ ...size, ...bounds, ...FLEET, binary: testMongodBinary() });
      expect(report.lost).toEqual([]);
      expect(report.duplicated).toEqual([]);
      expect(report.auditDifferences).toEqual([]);
      expect(report.wronglyRanked).toEqual([]);
      expect(report.violations).toEqual([]);
      expect(report.outcomes.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThanOrEqual(4);
    },
    RUN_MS,
  );

  it('fail no request while one after the other is restarted', async () => {
    const report = await runRolling(testMongodBinary(), 2, FLEET);
    console.log(rollingLine(report));
    expect(report.failures.slice(0, 5)).toEqual([]);
    expect(report.unannounced).toBe(0);
  });
});
