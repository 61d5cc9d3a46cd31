import { ObjectId } from 'mongodb';
import { BSON_TYPE, BsonFields, numberAt } from '../common/bson-fields.js';
import type { RawBatch } from '../platform/mongo/raw-scan.js';
import { rankOf, type ScoredStats } from './score.js';
import type { RankSlot } from './score-epoch.js';

/** A post whose rank is not what the slot holds, with the fields that differ. */
export type MovedPost = { _id: ObjectId; changes: Record<string, number> };

/**
 * What the formula needs, in whole fields: the server copies them as they are, which costs mongod a fifth of an expression that
 * compares there (0.11 against 0.55 s for 100,000 posts, docs/performance/score-job.md).
 */
export const SCORED_FIELDS = { stats: 1, rank: 1, createdAt: 1, contentEditedAt: 1 } as const;

const ID_BYTES = 12;
const POST = new BsonFields(['_id', 'stats', 'rank', 'createdAt', 'contentEditedAt']);
const STATS = new BsonFields(['viewsCount', 'readsCount', 'likesCount', 'dislikesCount', 'sharesCount']);

/** Reads posts as BSON and scores them; an object is made of those only that moved. */
export class MovedPosts {
  private readonly rank: BsonFields;
  private readonly paths: { hot: string; top: string; win: string };
  private readonly id = { id: new Uint8Array(ID_BYTES) };
  private readonly stats: ScoredStats = {
    viewsCount: 0,
    readsCount: 0,
    likesCount: 0,
    dislikesCount: 0,
    sharesCount: 0,
  };

  constructor(
    slot: RankSlot,
    private readonly now: Date,
  ) {
    this.rank = new BsonFields([`hot${slot}`, `top${slot}`, `win${slot}`]);
    this.paths = { hot: `rank.hot${slot}`, top: `rank.top${slot}`, win: `rank.win${slot}` };
  }

  in({ buffer, offsets }: RawBatch): MovedPost[] {
    const moved: MovedPost[] = [];
    for (const offset of offsets) {
      const post = this.read(buffer, offset);
      if (post !== null) moved.push(post);
    }
    return moved;
  }

  /** Null when the slot holds already what the formula gives. */
  private read(buffer: Buffer, start: number): MovedPost | null {
    POST.read(buffer, start);
    const idAt = POST.offsets[0]!;
    for (let at = 0; at < ID_BYTES; at++) this.id.id[at] = buffer[idAt + at]!;
    const createdAt = new Date(numberAt(buffer, POST.types[3]!, POST.offsets[3]!));
    const contentEditedAt = new Date(numberAt(buffer, POST.types[4]!, POST.offsets[4]!));
    const rank = rankOf(this.readStats(buffer), createdAt, contentEditedAt, this.now, this.id);
    const isRanked = POST.types[2] === BSON_TYPE.document;
    if (isRanked) this.rank.read(buffer, POST.offsets[2]!);
    const isHeld = (field: number, value: number) => {
      const type = this.rank.types[field]!;
      return isRanked && type !== 0 && numberAt(buffer, type, this.rank.offsets[field]!) === value;
    };
    const changes: Record<string, number> = {};
    let isMoved = false;
    // fields that stay are left out: naming an indexed field costs the server a look at its indexes
    if (!isHeld(0, rank.hot)) isMoved = set(changes, this.paths.hot, rank.hot);
    if (!isHeld(1, rank.top)) isMoved = set(changes, this.paths.top, rank.top);
    if (!isHeld(2, rank.win)) isMoved = set(changes, this.paths.win, rank.win);
    return isMoved ? { _id: new ObjectId(Uint8Array.from(this.id.id)), changes } : null;
  }

  private readStats(buffer: Buffer): ScoredStats {
    STATS.read(buffer, POST.offsets[1]!);
    const count = (field: number) => numberAt(buffer, STATS.types[field]!, STATS.offsets[field]!);
    this.stats.viewsCount = count(0);
    this.stats.readsCount = count(1);
    this.stats.likesCount = count(2);
    this.stats.dislikesCount = count(3);
    this.stats.sharesCount = count(4);
    return this.stats;
  }
}

function set(changes: Record<string, number>, path: string, value: number): true {
  changes[path] = value;
  return true;
}
