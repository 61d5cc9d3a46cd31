import { setTimeout as sleep } from 'node:timers/promises';
import type { SpawnedHost } from '../../support/spawned-host.js';
import { until } from '../../support/until.js';
import type { UnreliableNetwork } from '../../support/unreliable-network.js';
import {
  cutOffPrimary,
  delayNetwork,
  freezeMember,
  killMember,
  loseNetwork,
  restartMember,
  stepDown,
} from './database-faults.js';
import type { Mongod, Mongods } from './mongods.js';
import { Random } from './random.js';

/** Everything that can be broken. Only runs of `NETWORK_FAULTS` have a network between server and mongod. */
export type Stage = {
  /** The next host to break. */
  host: SpawnedHost;
  /** All hosts, on one database. */
  hosts: SpawnedHost[];
  mongods: Mongods;
  random: Random;
  network?: UnreliableNetwork;
};

export type FaultKind = {
  name: string;
  /** Frequency relative to the other kinds. */
  weight: number;
  /** The part that fails, which decides what the others must still do. */
  hits: 'worker' | 'writer' | 'jobs' | 'database' | 'network' | 'host' | 'nothing';
  /** Number of processes killed with SIGKILL. */
  kills: number;
  /** Causes the fault. Returns a function that removes the cause (and restarts the parts that only the injector can restart). */
  hurt(stage: Stage): Promise<() => Promise<void>>;
};

const nothingToHeal = async (): Promise<void> => {};

const killWorker: FaultKind = {
  name: 'kill -9 a web worker',
  weight: 4,
  hits: 'worker',
  kills: 1,
  hurt: async ({ host, random }) => {
    process.kill(random.pick(host.workers('web')), 'SIGKILL');
    return nothingToHeal;
  },
};

const killAllWorkers: FaultKind = {
  name: 'kill -9 all web workers at once',
  weight: 1,
  hits: 'worker',
  kills: 2,
  hurt: async ({ host }) => {
    for (const pid of host.workers('web')) process.kill(pid, 'SIGKILL');
    return nothingToHeal;
  },
};

const killWriter: FaultKind = {
  name: 'kill -9 the writer',
  weight: 1,
  hits: 'writer',
  kills: 1,
  hurt: async ({ host }) => {
    for (const pid of host.workers('writer')) process.kill(pid, 'SIGKILL');
    return nothingToHeal;
  },
};

/** Lets the writer resume with items that have timed out. */
const freezeWriter: FaultKind = {
  name: 'the writer frozen (SIGSTOP) for 3 s',
  weight: 1,
  hits: 'writer',
  kills: 0,
  hurt: async ({ host }) => {
    const pids = host.workers('writer');
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    return async () => {
      await sleep(3_000);
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    };
  },
};

/** Lets the worker resume with items that have timed out. */
const freezeWorker: FaultKind = {
  name: 'a web worker frozen (SIGSTOP) for 3 to 5 s',
  weight: 1,
  hits: 'worker',
  kills: 0,
  hurt: async ({ host, random }) => {
    const pid = random.pick(host.workers('web'));
    process.kill(pid, 'SIGSTOP');
    return async () => {
      await sleep(3_000 + random.below(2_000));
      process.kill(pid, 'SIGCONT');
    };
  },
};

const killJobs: FaultKind = {
  name: 'kill -9 the jobs process',
  weight: 1,
  hits: 'jobs',
  kills: 1,
  hurt: async ({ host }) => {
    for (const pid of host.workers('jobs')) process.kill(pid, 'SIGKILL');
    return nothingToHeal;
  },
};

const killPrimary: FaultKind = {
  name: 'kill -9 the primary, start again',
  weight: 0.5,
  hits: 'host',
  kills: 1,
  hurt: async ({ host }) => {
    host.signal('SIGKILL');
    await host.untilGone();
    return async () => {
      host.start();
      await host.url();
    };
  },
};

const rollingRestart: FaultKind = {
  name: 'rolling restart (SIGUSR2)',
  weight: 0.5,
  hits: 'nothing',
  kills: 0,
  hurt: async ({ host }) => {
    const restarts = (): number => host.output.match(/Restarted \d+ processes/g)?.length ?? 0;
    const before = restarts();
    host.signal('SIGUSR2');
    return () =>
      until(
        () => (restarts() > before ? true : null),
        () => `the rolling restart did not end:\n${host.output.slice(-2_000)}`,
      ).then(() => {});
  },
};

const onPrimary = ({ mongods }: Stage): Promise<Mongod> => mongods.primary();

/** Faults of an embedded or a single-node installation, where one server has all data. */
export const SINGLE_FAULTS: readonly FaultKind[] = [
  killWorker,
  killAllWorkers,
  freezeWorker,
  killWriter,
  freezeWriter,
  killJobs,
  killPrimary,
  rollingRestart,
  killMember('kill -9 mongod, start again', 3, onPrimary),
  restartMember('mongod stopped and started', 1),
  freezeMember('mongod frozen (SIGSTOP) for 1 to 3 s', 1, 1_000),
];

/** Failures for which a replica set exists, on three members. */
export const REPLICA_SET_FAULTS: readonly FaultKind[] = [
  killWorker,
  killWriter,
  stepDown,
  killMember('kill -9 the primary member', 3, onPrimary),
  killMember('kill -9 a secondary member', 1, async ({ mongods, random }) => {
    const primary = await mongods.primary();
    return random.pick(mongods.others(primary));
  }),
  freezeMember('the primary member frozen for 3 to 5 s', 1, 3_000),
];

/** Faults of a network that loses data (earlier connections stay silent forever), or delivers data late. */
export const NETWORK_FAULTS: readonly FaultKind[] = [
  loseNetwork('packets to mongod vanish for 6 to 8 s', 1, 6_000),
  loseNetwork('packets to mongod vanish for 1 to 3 s', 1, 1_000),
  delayNetwork('packets to and from mongod late by the same 50 to 200 ms for 1 to 3 s', 1, (random) => {
    const delayMs = 50 + random.below(150);
    return () => delayMs;
  }),
  // The order of the packets differs in each run, so a second generator makes the schedule reproducible.
  delayNetwork('packets to and from mongod late by up to 200 ms, each by its own, for 1 to 3 s', 1, (random) => {
    const jitter = new Random(random.below(2 ** 31));
    return () => jitter.below(200);
  }),
];

/** Both sides of a network between three members serve clients, and the old primary has not noticed the partition yet. */
export const PARTITION_FAULTS: readonly FaultKind[] = [cutOffPrimary];

/** Returns `count` faults in the proportions of their weights, every kind at least once if possible, in seeded order. */
export function schedule(kinds: readonly FaultKind[], count: number, random: Random): FaultKind[] {
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  const faults = kinds.slice(0, count);
  for (const dice = (): number => random.next() * total; faults.length < count;) {
    let left = dice();
    faults.push(kinds.find(({ weight }) => (left -= weight) < 0) ?? kinds[0]!);
  }
  return random.shuffled(faults);
}
