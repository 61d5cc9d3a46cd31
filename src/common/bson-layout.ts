import { BSON_TYPE, int32, sizeOf } from './bson-fields.js';

/** Types whose values have one size: only these may differ between two documents of one layout. */
const FREE_TYPES = new Set<number>([
  BSON_TYPE.double,
  BSON_TYPE.objectId,
  BSON_TYPE.boolean,
  BSON_TYPE.date,
  BSON_TYPE.int32,
  BSON_TYPE.timestamp,
  BSON_TYPE.int64,
]);

/**
 * Everything of a document but its values: lengths, types and names, in their places. Documents that one program wrote are alike in
 * that, and comparing it four bytes at a time tells where all values are: 100,000 posts are scored in half the CPU that finding their
 * fields by name takes (docs/performance/score-job.md). A string or an array must be the same to match, so it suits documents of numbers and dates.
 */
export class BsonLayout {
  private readonly places: Int32Array;
  private readonly masks: Int32Array;
  private readonly words: Int32Array;

  /** That of the document at `start`. */
  constructor(buffer: Buffer, start: number) {
    const length = int32(buffer, start);
    const mask = Buffer.alloc(length, 0xff);
    freeValues(buffer, start, start, mask);
    const places: number[] = [];
    for (let at = 0; at + 4 <= length; at += 4) places.push(at);
    // the last ones, with some of the word before when the length is no multiple of four
    places.push(length - 4);
    const held = places.filter((at) => int32(mask, at) !== 0);
    this.places = Int32Array.from(held);
    this.masks = this.places.map((at) => int32(mask, at));
    this.words = this.places.map((at) => int32(buffer, start + at) & int32(mask, at));
  }

  /** Whether the document at `start` has every value where the first one had it, of the same type and under the same name. */
  matches(view: DataView, start: number): boolean {
    const { places, masks, words } = this;
    // the first word is the length: behind it all places lie within the document
    for (let index = 0; index < places.length; index++) {
      if ((view.getInt32(start + places[index]!, true) & masks[index]!) !== words[index]!) return false;
    }
    return true;
  }
}

/** Clears the bytes of the mask where the document at `start` has values that are free. */
function freeValues(buffer: Buffer, document: number, start: number, mask: Buffer): void {
  const end = start + int32(buffer, start) - 1;
  let at = start + 4;
  while (at < end) {
    const type = buffer[at]!;
    at = buffer.indexOf(0, at + 1) + 1;
    const size = sizeOf(buffer, type, at);
    if (type === BSON_TYPE.document) freeValues(buffer, document, at, mask);
    else if (FREE_TYPES.has(type)) mask.fill(0, at - document, at - document + size);
    at += size;
  }
}
