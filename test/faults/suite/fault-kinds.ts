import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '../../support/redis.js';
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
import { CLOCK_FAULTS, CPU_FAULTS } from './environment-faults.js';
import type { Mongod, Mongods } from './mongods.js';
import { Random } from './random.js';

/** Everything that can be broken. Only runs of `NETWORK_FAULTS` have a network between server and mongod, only some a Redis. */
export type Stage = {
  /** The next host to break. */
  host: SpawnedHost;
  /** All hosts, on one database. */
  hosts: SpawnedHost[];
  mongods: Mongods;
  random: Random;
  network?: UnreliableNetwork;
  redis?: RedisServer;
};

export type FaultKind = {
  name: string;
  /** of two faults at a time */
  names?: readonly string[];
  /** Frequency relative to the other kinds. */
  weight: number;
  /** The part that fails, which decides what the others must still do; `several` of two faults at a time. */
  hits: 'worker' | 'writer' | 'jobs' | 'database' | 'network' | 'host' | 'clock' | 'redis' | 'nothing' | 'several';
  /** No other fault comes with it. */
  isAlone?: boolean;
  /** Number of processes killed with SIGKILL. */
  kills: number;
  /** Causes the fault. Returns a function that removes the cause (and restarts the parts that only the injector can restart). */
  hurt(stage: Stage): Promise<() => Promise<void>>;
};

const nothingToHeal = async (): Promise<void> => {};

/** Returns one process of the role, when there is one: another fault may have killed all. */
async function processOf({ host, random }: Stage, role: 'web' | 'jobs' | 'writer'): Promise<number> {
  return random.pick(await until(() => (host.workers(role).length > 0 ? host.workers(role) : null)));
}

/** Another fault may have killed the process. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function killProcess(role: 'web' | 'jobs' | 'writer', name: string, weight: number): FaultKind {
  return {
    ...{ name, weight, hits: role === 'web' ? 'worker' : role, kills: 1 },
    hurt: async (stage) => {
      signal(await processOf(stage, role), 'SIGKILL');
      return nothingToHeal;
    },
  };
}

/** Lets the process resume with items that have timed out, unless the supervisor has killed it (after 15 s). */
function freezeProcess(
  role: 'web' | 'jobs' | 'writer',
  name: string,
  weight: number,
  { shortestMs, longestMs }: { shortestMs: number; longestMs: number },
): FaultKind {
  return {
    ...{ name, weight, hits: role === 'web' ? 'worker' : role, kills: 0 },
    hurt: async (stage) => {
      const { host, random } = stage;
      const pid = await processOf(stage, role);
      signal(pid, 'SIGSTOP');
      const endAt = Date.now() + shortestMs + random.below(longestMs - shortestMs);
      return async () => {
        while (Date.now() < endAt && host.workers(role).includes(pid))
          await sleep(Math.min(1_000, Math.max(0, endAt - Date.now())));
        signal(pid, 'SIGCONT');
      };
    },
  };
}

const killWorker = killProcess('web', 'kill -9 a web worker', 4);

const killAllWorkers: FaultKind = {
  name: 'kill -9 all web workers at once',
  weight: 1,
  hits: 'worker',
  kills: 2,
  hurt: async ({ host }) => {
    for (const pid of host.workers('web')) signal(pid, 'SIGKILL');
    return nothingToHeal;
  },
};

const killWriter = killProcess('writer', 'kill -9 the writer', 1);
const killJobs = killProcess('jobs', 'kill -9 the jobs process', 1);

const LONG = { shortestMs: 10_000, longestMs: 70_000 };
const freezeWriter = freezeProcess('writer', 'the writer frozen (SIGSTOP) for 3 s', 1, {
  shortestMs: 3_000,
  longestMs: 3_001,
});
const freezeWorker = freezeProcess('web', 'a web worker frozen (SIGSTOP) for 3 to 5 s', 1, {
  shortestMs: 3_000,
  longestMs: 5_000,
});

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
  // A restart that another fault interrupts prints another message.
  isAlone: true,
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
  freezeProcess('writer', 'the writer stopped (SIGSTOP) for up to 70 s', 0.3, LONG),
  freezeProcess('jobs', 'the jobs process stopped (SIGSTOP) for up to 70 s', 0.3, LONG),
  freezeProcess('web', 'a web process stopped (SIGSTOP) for up to 70 s', 0.3, LONG),
  ...CLOCK_FAULTS,
  ...CPU_FAULTS,
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
