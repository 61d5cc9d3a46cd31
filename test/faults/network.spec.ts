import { testMongodBinary } from '../support/mongo.js';
import { ensureBuilt } from '../support/spawned-host.js';
import { NETWORK_FAULTS } from './suite/fault-kinds.js';
import { runFaults } from './suite/fault-run.js';

/** Silence is noticed after 4.5 s and selection gives up after 5 s; a transaction begins no more after 10 s. The rest is a busy machine. */
const LONGEST_ANSWER_MS = 25_000;
const FELT_FROM_MS = 1_500;
/** From when the network carries again; connections of before stay silent. */
const LONGEST_RECOVERY_MS = 12_000;

describe('a network that loses what it carries, without a word, or carries it late', () => {
  beforeAll(() => ensureBuilt());

  // what it judges meanwhile (cached reads, readiness, liveness, the shape of each 503): suite/recovery.ts
  it('costs no acknowledged write and no wait without end, and the server finds back by itself', async () => {
    const report = await runFaults({
      ...{
        binary: testMongodBinary(),
        seed: 7,
        faults: NETWORK_FAULTS.length,
        kinds: NETWORK_FAULTS,
        members: 1,
        hasNetwork: true,
      },
      ...{ writers: 16, accounts: 160, posts: 40, checkEvery: 100, minutes: 4 },
    });
    for (const { name, writeMs, readMs } of report.outcomes)
      console.log(`${name}: writes ${writeMs} ms and reads ${readMs} ms after it carried again`);
    console.log(`slowest answer ${report.slowest.ms.toFixed(0)} ms, ${report.staleReads} stale ones`);
    expect(report.lost).toEqual([]);
    expect(report.duplicated).toEqual([]);
    expect(report.auditDifferences).toEqual([]);
    expect(report.violations).toEqual([]);
    // the loss was felt: somebody waited until it was noticed
    expect(report.slowest.ms).toBeGreaterThan(FELT_FROM_MS);
    expect(report.staleReads).toBeGreaterThan(0);
    expect(report.slowest.ms).toBeLessThan(LONGEST_ANSWER_MS);
    for (const { writeMs, readMs } of report.outcomes)
      expect(Math.max(writeMs, readMs)).toBeLessThan(LONGEST_RECOVERY_MS);
    expect(report.outcomes).toHaveLength(NETWORK_FAULTS.length);
  });
});
