import type { Random } from './random.js';

/** Draws indexes in proportion to their weights, in constant time (Walker's alias method, as set up by Vose). */
export class AliasTable {
  private readonly threshold: Float64Array;
  private readonly alias: Uint32Array;

  constructor(weights: ArrayLike<number>) {
    const size = weights.length;
    this.threshold = new Float64Array(size);
    this.alias = new Uint32Array(size);
    let total = 0;
    for (let i = 0; i < size; i++) total += weights[i]!;
    if (!(total > 0)) throw new Error('An alias table needs one positive weight.');

    const work = new Uint32Array(size); // Light indexes grow from the left, heavy ones from the right.
    let light = 0;
    let heavy = size;
    for (let i = 0; i < size; i++) {
      this.threshold[i] = (weights[i]! * size) / total;
      if (this.threshold[i]! < 1) work[light++] = i;
      else work[--heavy] = i;
    }
    while (light > 0 && heavy < size) {
      const small = work[--light]!;
      const large = work[heavy]!;
      this.alias[small] = large;
      this.threshold[large]! -= 1 - this.threshold[small]!;
      if (this.threshold[large]! < 1) {
        heavy++;
        work[light++] = large;
      }
    }
    // The rest differs from 1 by rounding only, but an entry of weight zero must never be drawn.
    while (heavy < size) this.threshold[work[heavy++]!] = 1;
    while (light > 0) {
      const index = work[--light]!;
      if (weights[index]! > 0) this.threshold[index] = 1;
    }
  }

  sample(random: Random): number {
    const index = random.int(this.threshold.length);
    return random.float() < this.threshold[index]! ? index : this.alias[index]!;
  }
}
