import { ObjectId } from 'mongodb';
import { Random } from '../sampling/random.js';

const ID_KINDS = ['user', 'post', 'comment', 'interaction', 'follow', 'collection', 'tagFollow'] as const;
export type IdKind = (typeof ID_KINDS)[number];

/**
 * Generates ObjectIds like a driver (seconds, five bytes of the maker, a counter), but without chance: they sort by time, and by row
 * within a second.
 */
export class SeedIds {
  private readonly makers: Record<IdKind, Uint8Array>;

  /** @param fixed rows with a given id */
  constructor(
    seed: number,
    private readonly fixed: Partial<Record<IdKind, ReadonlyMap<number, ObjectId>>> = {},
  ) {
    const make = (stream: number) => {
      const random = new Random(seed, 200 + stream);
      return Uint8Array.from({ length: 5 }, () => random.int(256));
    };
    this.makers = Object.fromEntries(ID_KINDS.map((kind, stream) => [kind, make(stream)])) as typeof this.makers;
  }

  id(kind: IdKind, row: number, seconds: number): ObjectId {
    const given = this.fixed[kind]?.get(row);
    if (given !== undefined) return given;
    const bytes = new Uint8Array(12);
    bytes[0] = seconds >>> 24;
    bytes[1] = seconds >>> 16;
    bytes[2] = seconds >>> 8;
    bytes[3] = seconds;
    bytes.set(this.makers[kind], 4);
    bytes[9] = row >>> 16;
    bytes[10] = row >>> 8;
    bytes[11] = row;
    return new ObjectId(bytes);
  }
}
