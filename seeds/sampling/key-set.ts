/** A set of whole numbers below 2^53 with a known upper bound of members. Takes 16 bytes a member, where a Set takes 60. */
export class KeySet {
  private readonly slots: Float64Array;
  private readonly mask: number;

  constructor(capacity: number) {
    let size = 16;
    while (size < capacity * 2) size *= 2;
    this.slots = new Float64Array(size).fill(-1);
    this.mask = size - 1;
  }

  /** Returns false if the set already contains the key. */
  add(key: number): boolean {
    let slot = Math.imul((key % 4294967296) ^ Math.floor(key / 4294967296), 0x9e3779b1);
    slot = (slot ^ (slot >>> 15)) & this.mask;
    while (this.slots[slot] !== -1) {
      if (this.slots[slot] === key) return false;
      slot = (slot + 1) & this.mask;
    }
    this.slots[slot] = key;
    return true;
  }
}
