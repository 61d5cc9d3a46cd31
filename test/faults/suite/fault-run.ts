import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import type { StoredScoreEpoch } from '../../../src/ranking/ranking.schema.js';
import { wronglyRanked } from '../../support/ranks.js';
import type { SpawnedHost } from '../../support/spawned-host.js';
import { UnreliableNetwork } from '../../support/unreliable-network.js';
import { insertAccounts, Tokens } from './cast.js';
import { type FaultKind, schedule, type Stage } from './fault-kinds.js';
import { Fleet, type FleetOptions } from './fleet.js';
import { Ledger } from './ledger.js';
import { checkLedger } from './ledger-check.js';
import { Mongods } from './mongods.js';
import { Observer } from './observer.js';
import { withSecond } from './pairs.js';
import { Random } from './random.js';
import { Recovery } from './recovery.js';
import { runCli, writeComments, writePosts } from './server-under-test.js';
import { type Scene, Writer } from './writer.js';

export type FaultRunOptions = FleetOptions & {
  binary: string;
  seed: number;
  faults: number;
  kinds: readonly FaultKind[];
  members: number;
  /** Puts a network that can be broken between the server and its mongod, and between the members of a set. */
  hasNetwork?: boolean;
  writers: number;
  accounts: number;
  posts: number;
  /** Number of faults between full checks of ledger and counters. One more check follows at the end. */
  checkEvery: number;
  /** No fault begins after this time. Without a limit all faults run. */
  minutes?: number;
  /** share of the faults with a second one before they have healed */
  pairs?: number;
  /** Faults continue until this number of writes was acknowledged, if the time allows. */
  leastAcknowledged?: number;
  onProgress?: (line: string) => void;
};

export type FaultOutcome = {
  /** two for faults at the same time */
  names: readonly string[];
  kills: number;
  /** From the fault until the injector has removed its cause. No server can shorten this time. */
  causeMs: number;
  /** From the removal (or from the fault, when nothing had to be restarted) until writes succeed on every worker again. */
  writeMs: number;
  readMs: number;
  /** From the fault until the supervisor has restarted all processes. */
  fullMs: number;
};

export type FaultReport = {
  seed: number;
  members: number;
  hosts: number;
  isProxied: boolean;
  hasNetwork: boolean;
  outcomes: FaultOutcome[];
  counts: Ledger['counts'];
  /** acknowledged writes by operation */
  operations: Ledger['operations'];
  seconds: number;
  checks: number;
  checked: number;
  lost: string[];
  duplicated: string[];
  /** Lines of `counters audit`, of all runs. */
  auditDifferences: string[];
  /** Posts with outdated ranks after a score job, over all runs. */
  wronglyRanked: string[];
  violations: string[];
  slowest: Ledger['slowest'];
  staleReads: number;
};

/** Ends a test that hangs. A run takes as long as its machine needs. */
export const RUN_MS = 20 * 60_000;
const HOT_POSTS = 3;
const BYSTANDERS = 50;
const RANK_RUNS = 12;
const RANK_RETRY_MS = 2_000;
const PAUSE_MS = 200;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a real cluster, real mongods, clients with a ledger, faults by the seed, and the checks. Removes everything at the end. */
export async function runFaults(options: FaultRunOptions): Promise<FaultReport> {
  const { binary, seed, onProgress = () => {} } = options;
  const random = new Random(seed);
  const { hasNetwork = false, isProxied = false, members, pairs = 0 } = options;
  const mongods = await Mongods.start(binary, members, {}, hasNetwork && members > 1);
  const client = new MongoClient(mongods.uri, { writeConcern: { w: 'majority' }, readConcernLevel: 'majority' });
  const network = hasNetwork && members === 1 ? await UnreliableNetwork.start(mongods.members[0]!.port) : undefined;
  let fleet: Fleet | undefined;
  const clean = async (): Promise<void> => {
    await fleet?.remove();
    await network?.close();
    await mongods.remove();
  };
  const onSignal = (): void => void clean().finally(() => process.exit());
  for (const signal of SIGNALS) process.once(signal, onSignal);
  try {
    const db = client.db('faults');
    fleet = await Fleet.prepare(network?.uri ?? mongods.uri, options);
    const { hosts } = fleet;
    const host = hosts[0]!;
    const accounts = await insertAccounts(db, options.accounts);
    const bystanders = await insertAccounts(db, BYSTANDERS, 'quiet');
    await fleet.start();
    const { urls } = fleet;
    const url = urls[0]!;
    const tokens = new Tokens();
    const ledger = new Ledger();
    const postIds = await writePosts(url, tokens, accounts, options.posts);
    for (const [at, postId] of postIds.entries()) accounts[at % accounts.length]!.postId ??= postId;
    const commentIds = await writeComments(url, tokens, accounts, postIds);
    // The first run reads all posts, and later runs read only marked posts.
    const rankedWrongly = await rankAndCheck(host, db);
    const written = { accounts, bystanders, postIds, commentIds };
    const scene: Scene = { ledger, tokens, ...written, hotCount: HOT_POSTS, isProxied };
    const writers = Array.from({ length: options.writers }, (_, at) => {
      const own = accounts.filter((_account, index) => index > 0 && index % options.writers === at);
      return new Writer(urls[at % urls.length]!, scene, own, new Random(seed * 1_000 + at));
    });
    const report: FaultReport = {
      ...{ seed, members, hosts: hosts.length, isProxied, hasNetwork },
      ...{ outcomes: [], counts: ledger.counts, operations: ledger.operations, seconds: 0, checks: 0, checked: 0 },
      ...{
        lost: [],
        duplicated: [],
        auditDifferences: [],
        wronglyRanked: rankedWrongly,
        violations: ledger.violations,
        slowest: ledger.slowest,
        staleReads: 0,
      },
    };
    const { redis } = fleet;
    const parts = { ...(network !== undefined && { network }), ...(redis !== undefined && { redis }) };
    const stage: Stage = { host, hosts, mongods, random, ...parts };
    const observer = new Observer(urls, `/v1/posts/${postIds[postIds.length - 1]}`);
    // Only the probe uses the first account.
    const probe = tokens.of.bind(tokens, accounts[0]!);
    const recovery = new Recovery(fleet, stage, observer, ledger, probe, postIds);
    const check = async (): Promise<void> => {
      await Promise.all(writers.map((writer) => writer.stop()));
      const verdict = await checkLedger(db, { url, tokens }, ledger, accounts[0]!.id);
      report.checks++;
      report.checked += verdict.checked;
      report.lost.push(...verdict.lost);
      report.duplicated.push(...verdict.duplicated);
      report.auditDifferences.push(...(await audit(host)));
      report.wronglyRanked.push(...(await rankAndCheck(host, db)));
    };
    const startedAt = Date.now();
    const endAt = startedAt + (options.minutes ?? Infinity) * 60_000;
    // Reports violations at once, with the log of the server.
    let reported = 0;
    const reportViolations = (): void => {
      const fresh = ledger.violations.slice(reported);
      reported += fresh.length;
      for (const line of [...fresh, ...errorLines(fleet!.output, fresh)]) onProgress(line);
    };
    for (const writer of writers) writer.start();
    await sleep(1_000);
    try {
      let plan = schedule(options.kinds, options.faults, random);
      while (plan.length > 0 && Date.now() < endAt) {
        const kind = plan.shift()!;
        if (hosts.length > 1) stage.host = random.pick(hosts);
        const isPair = pairs > 0 && random.next() < pairs;
        const outcome = await recovery.through(isPair ? withSecond(kind, options.kinds, random) : kind);
        report.outcomes.push(outcome);
        onProgress(progressLine(report, ledger));
        reportViolations();
        await sleep(PAUSE_MS);
        if (report.outcomes.length % options.checkEvery === 0 && plan.length > 0) {
          await check();
          for (const writer of writers) writer.start();
        }
        const isShort = ledger.counts.acknowledged < (options.leastAcknowledged ?? 0);
        if (plan.length === 0 && isShort) plan = schedule(options.kinds, options.kinds.length, random);
      }
      await check();
    } finally {
      reportViolations();
      observer.stop();
      recovery.close();
      await Promise.all(writers.map((writer) => writer.stop()));
    }
    report.staleReads = recovery.staleReads;
    report.seconds = Math.round((Date.now() - startedAt) / 1_000);
    return report;
  } catch (error) {
    throw new Error(`${String(error)}. The server said:\n${fleet?.output.slice(-4_000)}`, { cause: error });
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    await client.close();
    await clean();
  }
}

/** Runs the product's own audit, as an operator does. Returns its lines after a finding. */
async function audit(host: SpawnedHost): Promise<string[]> {
  const { code, output } = await runCli(host, ['counters', 'audit']);
  return code === 0 && /^0 differences/m.test(output) ? [] : output.trim().split('\n');
}

/** Requires the ranks of the formula after a run, or after the next run if a write without a response committed during the first. */
async function rankAndCheck(host: SpawnedHost, db: Db): Promise<string[]> {
  let wrong: string[] = [];
  for (let run = 0; run < RANK_RUNS; run++) {
    const { code, output } = await runCli(host, ['rank', 'run']);
    // The jobs process sometimes runs the job itself, and the lease of a killed process must expire first.
    if (code !== 0 && !output.includes('Another process is computing ranks')) return [`rank run: ${output.trim()}`];
    if (code !== 0) await sleep(RANK_RETRY_MS);
    const epoch = await db.collection<StoredScoreEpoch>('score_epochs').findOne();
    if (epoch === null) continue;
    wrong = await wronglyRanked(db, epoch.slot, epoch.scoredAt);
    if (code === 0 && wrong.length === 0) return [];
  }
  return wrong.length > 0 ? wrong.map((id) => `post ${id} is not ranked by what it is`) : ['rank run found no turn'];
}

function progressLine({ outcomes }: FaultReport, { counts, violations }: Ledger): string {
  const { names, causeMs, writeMs, readMs, fullMs } = outcomes.at(-1)!;
  const acknowledged = `${counts.acknowledged} acknowledged`;
  const times = `cause ${causeMs}, write ${writeMs}, read ${readMs}, all back ${fullMs} ms`;
  return `${outcomes.length} ${names.join(', then ')}: ${times}; ${acknowledged}, ${counts.retried} retried, ${violations.length} violations`;
}

const LINES_OF_A_STACK = 12;

/** Returns the server's log lines about the requests in violations. */
function errorLines(output: string, violations: string[]): string[] {
  const requestIds = violations.flatMap((line) => /"requestId":"([^"]+)"/.exec(line)?.[1] ?? []);
  const lines = output.split('\n');
  return requestIds.flatMap((id) => {
    const at = lines.findIndex((line) => line.includes(`${id} `));
    return at === -1 ? [] : lines.slice(at, at + LINES_OF_A_STACK);
  });
}
