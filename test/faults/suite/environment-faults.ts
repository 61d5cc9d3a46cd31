import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CpuGroup } from '../../support/cpu-group.js';
import type { FaultKind } from './fault-kinds.js';

const HOUR_MS = 3_600_000;

/** Moves the clock of all processes of the host (fixtures/moved-clock.mjs), but not that of MongoDB. */
function moveClock(name: string, byMs: number): FaultKind {
  return {
    ...{ name, weight: 0.5, hits: 'clock', kills: 0 },
    hurt: async ({ host, random }) => {
      const file = join(host.dataDir, 'clock');
      writeFileSync(file, String(byMs));
      return async () => {
        await sleep(2_000 + random.below(3_000));
        writeFileSync(file, '0');
      };
    },
  };
}

export const CLOCK_FAULTS: readonly FaultKind[] = [
  moveClock('the clock of a host an hour fast for 2 to 5 s', HOUR_MS),
  moveClock('the clock of a host an hour slow for 2 to 5 s', -HOUR_MS),
];

/** Only for a fleet with a Redis. */
export const REDIS_FAULTS: readonly FaultKind[] = [
  {
    ...{ name: 'Redis flushed', weight: 0.5, hits: 'redis', kills: 0 },
    hurt: async ({ redis }) => {
      await redis!.flush();
      return async () => {};
    },
  },
  {
    ...{ name: 'kill -9 Redis, start again', weight: 0.5, hits: 'redis', kills: 1 },
    hurt: async ({ redis, random }) => {
      await redis!.kill();
      return async () => {
        await sleep(random.below(2_000));
        await redis!.start();
      };
    },
  },
];

const starveHost: FaultKind = {
  ...{ name: 'a host with 20 % of a core for 3 to 6 s', weight: 0.5, hits: 'host', kills: 0 },
  hurt: async ({ host, random }) => {
    const group = CpuGroup.create(0.2);
    group.add(host.processes().map(({ pid }) => pid));
    return async () => {
      await sleep(3_000 + random.below(3_000));
      await group.remove();
    };
  },
};

export const CPU_FAULTS: readonly FaultKind[] = CpuGroup.isAvailable ? [starveHost] : [];
