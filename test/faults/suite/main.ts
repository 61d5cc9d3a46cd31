import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findMongodBinary } from '../../../src/platform/embedded-mongod/mongod-binary.js';
import { ROOT } from '../../support/spawned-host.js';
import { REDIS_FAULTS } from './environment-faults.js';
import { type FaultKind, NETWORK_FAULTS, PARTITION_FAULTS, REPLICA_SET_FAULTS, SINGLE_FAULTS } from './fault-kinds.js';
import { type FaultReport, runFaults } from './fault-run.js';
import { runRolling } from './rolling-run.js';
import { reportPage, type Slice, sliceOf, summaryLines, sumPage } from './report.js';

const USAGE = `npm run faults -- [--faults 200] [--writes 100000] [--seed 1] [--minutes 45] [--replica-share 0.15]
  [--network-share 0.05] [--partition-share 0.02] [--restarts 10] [--hosts 2] [--proxy nginx] [--redis] [--pairs 0.2] [--page FILE] [--no-page] [--sum] [--only "steps down,kill -9 the primary member"]
Starts real clusters and real mongods, breaks them by the seed's schedule, and writes a report to .data/faults.md or FILE.
--hosts starts so many servers on the database, --proxy nginx a real nginx in front of them.
--redis gives them a real Redis, which also fails. At the share --pairs of the faults a second one begins before they have healed.
Each run adds a line to .data/faults.jsonl. --sum adds up the lines of this revision, and starts nothing.
--only takes the faults whose names contain one of these parts; such a run writes no page.`;

/** One writer drives twelve accounts, so that few pairs are used twice. */
const SIZE = { writers: 48, accounts: 600, posts: 120, checkEvery: 25 };

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '200' },
    writes: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '45' },
    'replica-share': { type: 'string', default: '0.15' },
    'network-share': { type: 'string', default: '0.05' },
    'partition-share': { type: 'string', default: '0.02' },
    restarts: { type: 'string', default: '10' },
    hosts: { type: 'string', default: '1' },
    proxy: { type: 'string' },
    redis: { type: 'boolean', default: false },
    pairs: { type: 'string', default: '0.2' },
    page: { type: 'string', default: join(ROOT, '.data/faults.md') },
    'no-page': { type: 'boolean', default: false },
    only: { type: 'string' },
    sum: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const SLICES = join(ROOT, '.data/faults.jsonl');
const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();

if (values.help) {
  console.log(USAGE);
} else if (values.sum) {
  const lines = existsSync(SLICES) ? readFileSync(SLICES, 'utf8').split('\n').filter(Boolean) : [];
  const slices = lines.map((line) => JSON.parse(line) as Slice).filter((slice) => slice.revision === revision);
  console.log(sumPage(slices));
  process.exitCode = slices.every(({ found }) => found.length === 0) ? 0 : 1;
} else {
  const { path: binary } = await findMongodBinary({ binary: process.env.MONGOD_BINARY, onProgress: console.error });
  const [faults, seed, minutes] = [Number(values.faults), Number(values.seed), Number(values.minutes)];
  const share = Number(values['replica-share']);
  if (values.proxy !== undefined && values.proxy !== 'nginx') throw new Error('--proxy nginx is the only one');
  const fleet = { hosts: Number(values.hosts), isProxied: values.proxy === 'nginx', hasRedis: values.redis };
  const pairs = Number(values.pairs);
  const ofRedis = values.redis ? REDIS_FAULTS : [];
  if (fleet.hosts > 1 && !fleet.isProxied && Number(values.restarts) > 0)
    throw new Error(
      'rolling restarts of several hosts need --proxy nginx: a client keeps to one address (or --restarts 0)',
    );
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
  const partitionShare = Number(values['partition-share']);
  /** Returns the count for a part of the kinds. Special kinds are left out unless one is named. */
  const countOf = (kinds: readonly FaultKind[], part: number): number =>
    named(kinds).length > 0 ? Math.round(faults * part) : 0;
  const ofSet = Math.round(faults * share);
  const ofNetwork = Math.min(faults - ofSet, countOf(NETWORK_FAULTS, networkShare));
  const ofPartition = Math.min(faults - ofSet - ofNetwork, countOf(PARTITION_FAULTS, partitionShare));
  const leastAcknowledged = Number(values.writes);
  const runs = [
    {
      ...{ title: 'One mongod', kinds: [...SINGLE_FAULTS, ...ofRedis], members: 1, leastAcknowledged },
      ...{ count: faults - ofSet - ofNetwork - ofPartition, part: 1 - share - networkShare - partitionShare },
    },
    {
      title: 'Replica set of three',
      kinds: [...REPLICA_SET_FAULTS, ...ofRedis],
      members: 3,
      count: ofSet,
      part: share,
    },
    {
      ...{ title: 'One mongod behind a network', kinds: NETWORK_FAULTS, members: 1, hasNetwork: true },
      ...{ count: ofNetwork, part: networkShare },
    },
    {
      ...{ title: 'Replica set of three on a network', kinds: PARTITION_FAULTS, members: 3, hasNetwork: true },
      ...{ count: ofPartition, part: partitionShare },
    },
  ];
  const onProgress = (line: string): void => console.log(line);
  const reports: FaultReport[] = [];
  for (const { title, kinds, count, part, ...run } of runs) {
    if (count === 0) continue;
    console.log(`${title}, ${count} faults, seed ${seed}`);
    const bounds = { faults: count, minutes: minutes * part, pairs };
    reports.push(
      await runFaults({ ...SIZE, ...fleet, ...run, ...bounds, binary, seed, kinds: wanted(kinds), onProgress }),
    );
  }
  const restarts = Number(values.restarts);
  const rolling = restarts > 0 ? await runRolling(binary, restarts, fleet) : undefined;
  for (const line of summaryLines(reports, rolling)) console.log(line);
  const ofFleet = `${fleet.hosts > 1 ? ` --hosts ${fleet.hosts}` : ''}${fleet.isProxied ? ' --proxy nginx' : ''}${fleet.hasRedis ? ' --redis' : ''} --pairs ${pairs}`;
  const command = `npm run faults -- --faults ${faults} --writes ${values.writes} --seed ${seed} --minutes ${minutes} --replica-share ${share} --network-share ${networkShare} --partition-share ${partitionShare} --restarts ${restarts}${ofFleet}`;
  mkdirSync(dirname(SLICES), { recursive: true });
  appendFileSync(SLICES, `${JSON.stringify(sliceOf(reports, revision, command))}\n`);
  if (!values['no-page'] && only === undefined && reports.length > 0) {
    mkdirSync(dirname(values.page), { recursive: true });
    writeFileSync(values.page, reportPage(reports, command, rolling));
    console.log(`Report: ${values.page}`);
  }
  const isClean = reports.every(
    ({ lost, duplicated, auditDifferences, wronglyRanked, violations }) =>
      lost.length + duplicated.length + auditDifferences.length + wronglyRanked.length + violations.length === 0,
  );
  const isRollingClean = rolling === undefined || rolling.failures.length + rolling.unannounced === 0;
  process.exitCode = isClean && isRollingClean ? 0 : 1;
}
