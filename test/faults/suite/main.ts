import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findMongodBinary } from '../../../src/platform/mongo/mongod-binary.js';
import { ROOT } from '../../support/spawned-host.js';
import { type FaultKind, NETWORK_FAULTS, REPLICA_SET_FAULTS, SINGLE_FAULTS } from './fault-kinds.js';
import { type FaultReport, runFaults } from './fault-run.js';
import { runRolling } from './rolling-run.js';
import { reliabilityPage, summaryLines } from './report.js';

const USAGE = `npm run faults -- [--faults 200] [--writes 100000] [--seed 1] [--minutes 45] [--replica-share 0.15]
  [--network-share 0.05] [--restarts 10] [--no-page] [--only "steps down,kill -9 the primary member"]
Starts real clusters and real mongods, breaks them by the seed's schedule, and writes docs/reliability.md.
--only takes the faults whose names contain one of these parts; such a run writes no page.`;

/** one writer drives twelve accounts: enough pairs that few are driven twice */
const SIZE = { writers: 48, accounts: 600, posts: 120, checkEvery: 25 };

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '200' },
    writes: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '45' },
    'replica-share': { type: 'string', default: '0.15' },
    'network-share': { type: 'string', default: '0.05' },
    restarts: { type: 'string', default: '10' },
    'no-page': { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(USAGE);
} else {
  const { path: binary } = await findMongodBinary({ binary: process.env.MONGOD_BINARY, onProgress: console.error });
  const [faults, seed, minutes] = [Number(values.faults), Number(values.seed), Number(values.minutes)];
  const share = Number(values['replica-share']);
  const only = values.only?.split(',').map((part) => part.trim());
  const named = (kinds: readonly FaultKind[]): FaultKind[] =>
    kinds.filter(({ name }) => only?.some((part) => name.includes(part)) ?? true);
  const wanted = (kinds: readonly FaultKind[]): FaultKind[] => {
    const chosen = named(kinds);
    if (chosen.length === 0)
      throw new Error(`No fault is called so; there are: ${kinds.map(({ name }) => name).join(', ')}`);
    return chosen;
  };
  const networkShare = Number(values['network-share']);
  const ofSet = Math.round(faults * share);
  const hasNetwork = named(NETWORK_FAULTS).length > 0;
  const ofNetwork = hasNetwork ? Math.min(faults - ofSet, Math.round(faults * networkShare)) : 0;
  const ofOne = faults - ofSet - ofNetwork;
  const onProgress = (line: string): void => console.log(line);
  const reports: FaultReport[] = [];
  if (ofOne > 0) {
    console.log(`One mongod, ${ofOne} faults, seed ${seed}`);
    const leastAcknowledged = Number(values.writes);
    const run = {
      binary,
      seed,
      faults: ofOne,
      kinds: wanted(SINGLE_FAULTS),
      members: 1,
      minutes: minutes * (1 - share - networkShare),
    };
    reports.push(await runFaults({ ...SIZE, ...run, leastAcknowledged, onProgress }));
  }
  if (ofSet > 0) {
    console.log(`Replica set of three, ${ofSet} faults, seed ${seed}`);
    const run = {
      binary,
      seed,
      faults: ofSet,
      kinds: wanted(REPLICA_SET_FAULTS),
      members: 3,
      minutes: minutes * share,
    };
    reports.push(await runFaults({ ...SIZE, ...run, onProgress }));
  }
  if (ofNetwork > 0) {
    console.log(`One mongod behind a network, ${ofNetwork} faults, seed ${seed}`);
    const run = { binary, seed, faults: ofNetwork, kinds: wanted(NETWORK_FAULTS), members: 1, hasNetwork: true };
    reports.push(await runFaults({ ...SIZE, ...run, minutes: minutes * networkShare, onProgress }));
  }
  const restarts = Number(values.restarts);
  const rolling = restarts > 0 ? await runRolling(binary, restarts) : undefined;
  for (const line of summaryLines(reports, rolling)) console.log(line);
  if (!values['no-page'] && only === undefined && reports.length > 0) {
    const command = `npm run faults -- --faults ${faults} --writes ${values.writes} --seed ${seed} --minutes ${minutes} --replica-share ${share} --network-share ${networkShare} --restarts ${restarts}`;
    writeFileSync(join(ROOT, 'docs/reliability.md'), reliabilityPage(reports, command, rolling));
  }
  const isClean = reports.every(
    ({ lost, duplicated, auditDifferences, violations }) =>
      lost.length + duplicated.length + auditDifferences.length + violations.length === 0,
  );
  const isRollingClean = rolling === undefined || rolling.failures.length + rolling.unannounced === 0;
  process.exitCode = isClean && isRollingClean ? 0 : 1;
}
