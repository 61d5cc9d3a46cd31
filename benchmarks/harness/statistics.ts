/** Returns the middle value, or the mean of the two middle values of an even number. NaN without values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Half the distance between smallest and largest, as a share of the median: 0.04 means "± 4 %". */
export function spreadOf(values: readonly number[]): number {
  const middle = median(values);
  if (values.length < 2 || !(middle > 0)) return 0;
  return (Math.max(...values) - Math.min(...values)) / 2 / middle;
}

export type LatencySummary = { mean: number; p50: number; p95: number; p99: number; max: number };

/** Stores every latency of a run (8 bytes each), so that percentiles are exact and show no step of a histogram. */
export class LatencyRecorder {
  private values = new Float64Array(65_536);
  private count = 0;

  add(milliseconds: number): void {
    if (this.count === this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count++] = milliseconds;
  }

  get size(): number {
    return this.count;
  }

  summary(): LatencySummary {
    const sorted = this.values.slice(0, this.count).sort();
    if (sorted.length === 0) return { mean: 0, p50: 0, p95: 0, p99: 0, max: 0 };
    const at = (share: number) => round(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!);
    const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
    return { mean: round(mean), p50: at(0.5), p95: at(0.95), p99: at(0.99), max: round(sorted[sorted.length - 1]!) };
  }
}

/** Returns the median of each figure over several runs, and the slowest of all. */
export function medianLatency(runs: readonly LatencySummary[]): LatencySummary {
  const of = (read: (run: LatencySummary) => number) => round(median(runs.map(read)));
  const max = Math.max(...runs.map((run) => run.max));
  return {
    mean: of((run) => run.mean),
    p50: of((run) => run.p50),
    p95: of((run) => run.p95),
    p99: of((run) => run.p99),
    max,
  };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** Returns a small, seeded generator (mulberry32). The same seed gives the same requests on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Shuffles a copy (Fisher–Yates). */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const copy = [...values];
  for (let index = copy.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [copy[index], copy[other]] = [copy[other]!, copy[index]!];
  }
  return copy;
}
