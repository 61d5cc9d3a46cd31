/** Attempts, of which the cheapest counts, because garbage collection and compilation add CPU to some of them. */
const ATTEMPTS = 5;
/** Shorter work is repeated, because the system counts CPU in larger steps. */
const LEAST_MICROS = 3_000;

/**
 * Returns the CPU of `work(size)` divided by that of `work(size / 8)`: about 8 if linear, 64 if quadratic. The CPU of this process does
 * not include other load of the machine, which makes a core slower for some time: the attempts of both sizes alternate.
 */
export function growth(size: number, work: (size: number) => unknown): number {
  const small = size / 8;
  work(small);
  let repeats = 1;
  while (cpuOf(repeats, small, work) < LEAST_MICROS) repeats *= 2;
  let least = { size: Infinity, small: Infinity };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const ofSmall = cpuOf(repeats, small, work);
    // The work is compiled by now, and too short again.
    if (ofSmall < LEAST_MICROS) {
      repeats *= 2;
      attempt = -1;
      least = { size: Infinity, small: Infinity };
      continue;
    }
    least.small = Math.min(least.small, ofSmall);
    least.size = Math.min(least.size, cpuOf(repeats, size, work));
  }
  return least.size / least.small;
}

/** Upper bound of `growth` for linear work, sorting and a full heap included. */
export const LINEAR = 32;

function cpuOf(repeats: number, size: number, work: (size: number) => unknown): number {
  const before = process.cpuUsage();
  for (let round = 0; round < repeats; round++) work(size);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
