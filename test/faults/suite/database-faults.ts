import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind, Stage } from './fault-kinds.js';
import type { Mongod } from './mongods.js';
import type { Random } from './random.js';

/** Waits for the duration of a restart, half a second to two. */
const pause = (random: Random): Promise<void> => sleep(300 + random.below(1_200));

export function killMember(name: string, weight: number, choose: (stage: Stage) => Promise<Mongod>): FaultKind {
  return {
    name,
    weight,
    hits: 'database',
    kills: 1,
    hurt: async (stage) => {
      const member = await choose(stage);
      await member.end('SIGKILL');
      return async () => {
        await pause(stage.random);
        member.start();
        await stage.mongods.primary();
      };
    },
  };
}

export function restartMember(name: string, weight: number): FaultKind {
  return {
    name,
    weight,
    hits: 'database',
    kills: 0,
    hurt: async ({ mongods }) => {
      const member = await mongods.primary();
      await member.end('SIGTERM');
      return async () => {
        member.start();
        await mongods.primary();
      };
    },
  };
}

export function freezeMember(name: string, weight: number, shortestMs: number): FaultKind {
  return {
    name,
    weight,
    hits: 'database',
    kills: 0,
    hurt: async ({ mongods, random }) => {
      const member = await mongods.primary();
      member.freeze();
      return async () => {
        await sleep(shortestMs + random.below(2_000));
        member.thaw();
        await mongods.primary();
      };
    },
  };
}

export const stepDown: FaultKind = {
  name: 'the primary member steps down',
  weight: 2,
  hits: 'database',
  kills: 0,
  hurt: async ({ mongods }) => {
    const member = await mongods.primary();
    await member.command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5, force: true }).catch(() => {});
    return async () => {
      await mongods.primary();
    };
  },
};

export function loseNetwork(name: string, weight: number, shortestMs: number): FaultKind {
  return {
    name,
    weight,
    hits: 'database',
    kills: 0,
    hurt: async ({ network, random }) => {
      network!.vanish();
      return async () => {
        await sleep(shortestMs + random.below(2_000));
        network!.appear();
      };
    },
  };
}

export function delayNetwork(name: string, weight: number, delays: (random: Random) => () => number): FaultKind {
  return {
    name,
    weight,
    hits: 'network',
    kills: 0,
    hurt: async ({ network, random }) => {
      network!.delay(delays(random));
      return async () => {
        await sleep(1_000 + random.below(2_000));
        network!.hurry();
      };
    },
  };
}

export const cutOffPrimary: FaultKind = {
  name: 'the primary member cut off from the others for 4 to 6 s',
  weight: 1,
  hits: 'database',
  kills: 0,
  hurt: async ({ mongods, random }) => {
    const lonely = await mongods.primary();
    mongods.cutOff(lonely);
    return async () => {
      await sleep(4_000 + random.below(2_000));
      // The other members form a majority and elect a primary, which proves that the network was cut.
      await mongods.primary(mongods.others(lonely));
      mongods.join();
      await mongods.primary();
    };
  },
};
