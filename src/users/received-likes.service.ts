import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { type ClientSession, type Collection, ObjectId } from 'mongodb';
import { Leased } from '../platform/jobs/leased.decorator.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type ReceivedLikesChange, ReceivedLikesChangeSchema } from './received-likes.schema.js';
import { UsersService } from './users.service.js';

const FOLD_EVERY_MS = 1_000;
const MAX_ROWS = 1_000;

/**
 * Counts the likes that authors receive. Votes on many posts would conflict at their author, so a vote adds a row, and the counters follow
 * within a second: counter and pending rows together always equal the likes of the posts.
 */
@Injectable()
export class ReceivedLikes {
  private readonly rows: Collection<ReceivedLikesChange>;

  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
  ) {
    this.rows = mongo.collection(ReceivedLikesChangeSchema);
  }

  /** Runs in the transaction that moves the likes of the posts. @param changes by hex id of the author */
  async add(changes: ReadonlyMap<string, number>, session: ClientSession): Promise<void> {
    const moved = [...changes].filter(([, change]) => change !== 0);
    if (moved.length === 0) return;
    await this.mongo.batch.insert(this.rows, [{ _id: new ObjectId(), changes: Object.fromEntries(moved) }], session);
  }

  /** Adds all pending likes to the counters of their authors. */
  @Interval(FOLD_EVERY_MS)
  @Leased<ReceivedLikes>('received likes', { isDue: (likes) => likes.isDue() })
  async fold(signal: AbortSignal): Promise<void> {
    while (await this.foldRows()) signal.throwIfAborted();
  }

  private async isDue(): Promise<boolean> {
    return (await this.rows.findOne({}, { projection: { _id: 1 } })) !== null;
  }

  /** Merges a full batch into one row, because a part of the rows could take a counter below zero. @returns whether more rows remain */
  private foldRows(): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const rows = await this.rows.find({}, { session }).limit(MAX_ROWS).toArray();
      const sums = new Map<string, number>();
      for (const { changes } of rows)
        for (const [author, change] of Object.entries(changes)) sums.set(author, (sums.get(author) ?? 0) + change);
      const isPart = rows.length === MAX_ROWS;
      if (isPart) await this.add(sums, session);
      else {
        const stats = [...sums].map(([author, likesReceivedCount]) => [author, { likesReceivedCount }] as const);
        await this.users.applyStats(new Map(stats), session);
      }
      const ids = rows.map(({ _id }) => _id);
      await this.mongo.batch.delete(this.rows, ids, session);
      return isPart;
    });
  }
}
