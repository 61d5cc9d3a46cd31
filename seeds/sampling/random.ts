/** xoshiro128**, which is small, fast, and unlike Math.random the same on every machine. */
export class Random {
  private a = 0;
  private b = 0;
  private c = 0;
  private d = 0;

  constructor(seed: number, stream = 0, index = 0) {
    this.reseed(seed, stream, index);
  }

  /** Starts the sequence of this triple. The same triple always gives the same sequence. */
  reseed(seed: number, stream: number, index: number): this {
    let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) | 0;
    const splitmix = () => {
      state = (state + 0x9e3779b9) | 0;
      let z = state;
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return z ^ (z >>> 15);
    };
    this.a = splitmix();
    state ^= Math.imul(index + 1, 0xc2b2ae35);
    this.b = splitmix();
    this.c = splitmix();
    this.d = splitmix() | 1; // The state is never all zero.
    return this;
  }

  /** Returns a whole number below 2^32. */
  uint32(): number {
    const b5 = Math.imul(this.b, 5);
    const result = Math.imul((b5 << 7) | (b5 >>> 25), 9);
    const t = this.b << 9;
    this.c ^= this.a;
    this.d ^= this.b;
    this.b ^= this.c;
    this.a ^= this.d;
    this.c ^= t;
    this.d = (this.d << 11) | (this.d >>> 21);
    return result >>> 0;
  }

  /** Returns a number in [0, 1). */
  float(): number {
    return this.uint32() / 4294967296;
  }

  /** Returns a whole number in [0, below). */
  int(below: number): number {
    return Math.floor(this.float() * below);
  }

  /** Returns a whole number in [from, to]. */
  between(from: number, to: number): number {
    return from + this.int(to - from + 1);
  }

  chance(probability: number): boolean {
    return this.float() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)]!;
  }

  /** Returns a sample of the Pareto distribution: many near 1, few very large. A smaller alpha has a heavier tail. */
  pareto(alpha: number): number {
    return Math.pow(1 - this.float(), -1 / alpha);
  }
}
