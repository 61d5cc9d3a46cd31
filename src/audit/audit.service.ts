import { Injectable } from '@nestjs/common';
import { type AnyBulkWriteOperation, type Db, type Document, ObjectId } from 'mongodb';
import { BACKGROUND } from '../platform/mongo/slow-query/command-monitor.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type CountedKind, CounterRegistry } from './counter-registry.js';
import { compare, count, type Difference, holderProjection } from './recount.js';

export type AuditOptions = {
  /** corrects each wrong counter, while the server runs */
  isRepair?: boolean;
  /** no other process writes: corrects many counters with one command, without reading each again */
  isAlone?: boolean;
  signal?: AbortSignal;
  onProgress?: (step: { collection: string; done: number; total: number }) => void;
};

export type AuditSummary = { holders: number; differences: number };

type Chunk = { after: ObjectId; upTo: ObjectId; holders: Document[] };

const CHUNK_SIZE = 5_000;
const CHUNKS_IN_FLIGHT = 3;
const BEFORE_ALL = new ObjectId('000000000000000000000000');

/**
 * Compares every counter with the rows behind it. Plain reads find suspects; a difference is reported only if a snapshot confirms it, which
 * contains either both the row and the counter of a concurrent write, or neither.
 */
@Injectable()
export class AuditService {
  constructor(
    private readonly mongo: MongoService,
    private readonly registry: CounterRegistry,
  ) {}

  /** Calls `report` for every difference. Memory holds at most four chunks, for a database of any size. */
  async audit(report: (difference: Difference) => void, options: AuditOptions = {}): Promise<AuditSummary> {
    const { db } = this.mongo;
    const summary: AuditSummary = { holders: 0, differences: 0 };
    for (const kind of this.registry.list()) {
      const total = await db.collection(kind.name).estimatedDocumentCount();
      let done = 0;
      const inFlight = new Set<Promise<void>>();
      const failures: unknown[] = [];
      const check = async (chunk: Chunk): Promise<void> => {
        for (const difference of await this.checkChunk(kind, chunk, options)) {
          summary.differences++;
          report(difference);
        }
        done += chunk.holders.length;
        options.onProgress?.({ collection: kind.name, done, total });
      };
      for await (const chunk of chunksOf(db, kind)) {
        while (inFlight.size >= CHUNKS_IN_FLIGHT) await Promise.race(inFlight);
        options.signal?.throwIfAborted();
        if (failures.length > 0) break;
        const work = check(chunk)
          .catch((error: unknown) => void failures.push(error))
          .finally(() => inFlight.delete(work));
        inFlight.add(work);
      }
      await Promise.all(inFlight);
      if (failures.length > 0) throw failures[0];
      summary.holders += done;
    }
    return summary;
  }

  /** Checks holders of a collection from a random one on. Returns the number of differences. */
  async sample(collection: string, size: number): Promise<number> {
    const { db } = this.mongo;
    const kind = this.registry.list().find(({ name }) => name === collection)!;
    const random = [{ $sample: { size: 1 } }, { $project: { _id: 1 } }];
    const [start] = await db
      .collection(collection)
      .aggregate<{ _id: ObjectId }>(random, { comment: BACKGROUND })
      .toArray();
    let chunk = await findChunk(db, kind, start?._id ?? BEFORE_ALL, size);
    // Too few follow: takes the first ones.
    if (chunk === undefined || chunk.holders.length < size) chunk = await findChunk(db, kind, BEFORE_ALL, size);
    return chunk === undefined ? 0 : (await this.checkChunk(kind, chunk, {})).length;
  }

  private async checkChunk(
    kind: CountedKind,
    { after, upTo, holders }: Chunk,
    { isRepair = false, isAlone = false }: AuditOptions,
  ): Promise<Difference[]> {
    const countsOf = await count(kind, { $gt: after, $lte: upTo }, { db: this.mongo.db });
    const confirmed: Difference[] = [];
    const writes: AnyBulkWriteOperation[] = [];
    for (const holder of holders) {
      const differences = compare(kind, holder, countsOf(holder));
      if (differences.length === 0) continue;
      const { _id } = holder as { _id: ObjectId };
      if (!isAlone) confirmed.push(...(await this.confirm(kind, _id, isRepair)));
      else {
        confirmed.push(...differences);
        writes.push({ updateOne: { filter: { _id }, update: { $set: corrected(kind, differences) } } });
      }
    }
    if (isRepair && writes.length > 0)
      await this.mongo.db.collection(kind.name).bulkWrite(writes, { ordered: false, comment: BACKGROUND });
    return confirmed;
  }

  /**
   * Compares one holder in a snapshot. Every write that moves a counter also writes its holder, so a repair conflicts with each write that
   * the snapshot does not contain, and one of the two transactions runs again.
   */
  private confirm(kind: CountedKind, id: ObjectId, isRepair: boolean): Promise<Difference[]> {
    const { db } = this.mongo;
    return this.mongo.transaction(async (tx) => {
      const holders = db.collection(kind.name);
      const holder = await holders.findOne(
        { _id: id, ...kind.filter },
        { projection: holderProjection(kind), session: tx.session },
      );
      if (holder === null) return [];
      if (kind.within !== undefined) {
        const filter = { _id: holder[kind.within.field] as ObjectId, deletedAt: null };
        if ((await db.collection(kind.within.collection).countDocuments(filter, { session: tx.session })) === 0)
          return [];
      }
      const countsOf = await count(kind, { $eq: id }, { db, session: tx.session });
      const differences = compare(kind, holder, countsOf(holder));
      if (isRepair && differences.length > 0) {
        await holders.updateOne({ _id: id }, { $set: corrected(kind, differences) }, { session: tx.session });
      }
      return differences;
    });
  }
}

function corrected(kind: CountedKind, differences: Difference[]): Record<string, number> {
  return Object.fromEntries(differences.map(({ counter, counted }) => [kind.paths[counter]!, counted]));
}

/** Yields the holders by _id in adjacent ranges, so that every row belongs to one range. */
async function* chunksOf(db: Db, kind: CountedKind): AsyncIterable<Chunk> {
  let after = (kind.lowestId ?? BEFORE_ALL) as ObjectId;
  for (;;) {
    const chunk = await findChunk(db, kind, after, CHUNK_SIZE);
    if (chunk === undefined) return;
    yield chunk;
    after = chunk.upTo;
  }
}

async function findChunk(db: Db, kind: CountedKind, after: ObjectId, size: number): Promise<Chunk | undefined> {
  const holders = await db
    .collection<{ _id: ObjectId }>(kind.name)
    .find({ _id: { $gt: after }, ...kind.filter }, { projection: holderProjection(kind), comment: BACKGROUND })
    .sort({ _id: 1 })
    .limit(size)
    .toArray();
  const last = holders.at(-1);
  return last === undefined ? undefined : { after, upTo: last._id, holders };
}
