import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind } from './fault-kinds.js';
import type { Random } from './random.js';

/** The second fault begins within this time after the first. Most faults and recoveries take longer. */
const WITHIN_MS = 1_000;

/** Returns a fault of another part that can begin before this one has healed, in any order, or this fault alone. */
export function withSecond(first: FaultKind, kinds: readonly FaultKind[], random: Random): FaultKind {
  const others = kinds.filter(({ hits, isAlone }) => hits !== first.hits && isAlone !== true);
  if (first.isAlone === true || others.length === 0) return first;
  const second = random.pick(others);
  // A host that starts may give up without its database, or after kills of its processes.
  return first.hits === 'host' ? both(second, first) : both(first, second);
}

/** Only what holds for each fault is judged. */
function both(first: FaultKind, second: FaultKind): FaultKind {
  const names = [first.name, second.name];
  return {
    ...{ names, name: names.join(', then '), weight: 0, hits: 'several', kills: first.kills + second.kills },
    hurt: async (stage) => {
      const healing = (await first.hurt(stage))();
      // Reported by the wait below.
      healing.catch(() => {});
      await sleep(stage.random.below(WITHIN_MS));
      const heal = await second.hurt(stage);
      return async () => {
        await Promise.all([healing, heal()]);
      };
    },
  };
}
