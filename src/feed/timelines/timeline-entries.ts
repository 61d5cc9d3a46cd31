import { Injectable } from '@nestjs/common';
import { type Binary, type Collection, MongoBulkWriteError, type ObjectId } from 'mongodb';
import { BsonFields } from '../../common/bson-fields.js';
import { DUPLICATE_KEY } from '../../platform/mongo/duplicate-key.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { findRaw, type RawDocuments } from '../../platform/mongo/raw-read.js';
import type { Position } from '../../posts/publication-order.js';
import { TIMELINE_ENTRIES, type StoredTimelineEntry, StoredTimelineEntrySchema } from './timeline.schema.js';
import { entryRange, type TimelineEntry, readEntry } from './timeline-entry-id.js';

const KEY_ONLY = { _id: 1 } as const;
const NEWEST_FIRST = { _id: -1 } as const;
/** the length and the subtype of a BSON binary, before its bytes */
const BINARY_HEAD = 5;
const DELETED_AT_ONCE = 500;
/** more entries than a timeline contains before a cut */
const MAX_ENTRIES = 5_000;

const row = new BsonFields(['_id']);

/** Access to `home_entries`. */
@Injectable()
export class TimelineEntries {
  private readonly rows: Collection<StoredTimelineEntry>;

  constructor(private readonly mongo: MongoService) {
    this.rows = mongo.collection(StoredTimelineEntrySchema);
  }

  /** Returns entries newest first, after `after` and down to `from`. A covered query. */
  async page(
    timelineId: ObjectId,
    after: Position | null,
    from: Position | null,
    count: number,
  ): Promise<TimelineEntry[]> {
    return entriesOf(await this.read(entryRange(timelineId, after, from), count));
  }

  /** Returns the entries of one author. Scans the timeline, because no index contains the author. */
  async ofAuthor(timelineId: ObjectId, authorId: ObjectId): Promise<TimelineEntry[]> {
    const author = authorId.toHexString();
    const all = entriesOf(await this.read(entryRange(timelineId), MAX_ENTRIES));
    return all.filter((entry) => entry.authorId === author);
  }

  /** Inserts entries. Idempotent. */
  async add(ids: Binary[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      await this.rows.insertMany(
        ids.map((_id) => ({ _id })),
        { ordered: false },
      );
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      if (![error.writeErrors].flat().every(({ code }) => code === DUPLICATE_KEY)) throw error;
    }
  }

  async delete(ids: Binary[]): Promise<void> {
    if (ids.length > 0) await this.rows.deleteMany({ _id: { $in: ids } });
  }

  /** Returns the position of the entry number `count`; null if there are no further entries. */
  async lastOf(timelineId: ObjectId, count: number): Promise<Position | null> {
    const [last, next] = entriesOf(await this.read(entryRange(timelineId), 2, count - 1));
    return next === undefined ? null : last!;
  }

  /**
   * Deletes entries older than `floor`, oldest first, so that a concurrent page may end early but has no gap.
   * @returns the number of deleted rows
   */
  async deleteBelow(timelineId: ObjectId, floor: Position): Promise<number> {
    for (let deleted = 0; ;) {
      const ids = await this.rows
        .find({ _id: entryRange(timelineId, floor) }, { projection: KEY_ONLY, sort: KEY_ONLY, limit: DELETED_AT_ONCE })
        .map(({ _id }) => _id)
        .toArray();
      await this.delete(ids);
      deleted += ids.length;
      if (ids.length < DELETED_AT_ONCE) return deleted;
    }
  }

  private read(range: object, limit: number, skip = 0): Promise<RawDocuments> {
    const find = { filter: { _id: range }, projection: KEY_ONLY, sort: NEWEST_FIRST, hint: KEY_ONLY, limit };
    return findRaw(this.mongo.db, TIMELINE_ENTRIES, skip === 0 ? find : { ...find, skip });
  }
}

function entriesOf({ buffer, offsets }: RawDocuments): TimelineEntry[] {
  return offsets.map((offset) => {
    row.read(buffer, offset);
    return readEntry(buffer, row.offsets[0]! + BINARY_HEAD);
  });
}
