import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Interval } from '@nestjs/schedule';
import type { Model } from 'mongoose';
import { eachRow } from '../platform/jobs/each-row.js';
import { Leased } from '../platform/jobs/leased.decorator.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { MediaRefsService } from './media-refs.service.js';
import { MediaDeletionsService } from './media-deletions.service.js';
import { MEDIA_FIELDS } from './media-view.js';
import { Media } from './media.schema.js';

const INTERVAL_MS = 10_000;
const BATCH = 100;

/** Deletes images that had no references for a day, interrupted uploads, and files of deleted rows. */
@Injectable()
export class UnusedMediaJob {
  constructor(
    private readonly mongo: MongoService,
    private readonly refs: MediaRefsService,
    private readonly deletions: MediaDeletionsService,
    @InjectModel(Media.name) private readonly media: Model<Media>,
  ) {}

  /** Runs until no row is due. @throws as `eachRow` */
  @Interval(INTERVAL_MS)
  @Leased<UnusedMediaJob>('media', { isDue: async (sweep) => (await sweep.findDue(1)).length > 0 })
  async run(signal: AbortSignal): Promise<void> {
    for (let rows = await this.findDue(BATCH); rows.length > 0; rows = await this.findDue(BATCH)) {
      await eachRow(rows, signal, (row) =>
        row.state === 'ready' ? this.deleteUnlessReferenced(row) : this.deletions.deleteNow(row),
      );
    }
  }

  /** A concurrent first reference also writes the row, so one of the two transactions retries and sees the other. */
  private async deleteUnlessReferenced({ _id }: Media): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const due = { _id, state: 'ready', sweepAt: { $lte: new Date() } } as const;
      if ((await findOne(this.media, due, { state: 1 }, { session: tx.session })) === null) return;
      if (await this.refs.isReferenced(_id, tx))
        await this.media.updateOne(due, { $set: { sweepAt: null } }, { session: tx.session });
      else await this.deletions.delete(due, tx);
    });
  }

  private findDue(limit: number): Promise<Media[]> {
    const options = { sort: { sweepAt: 1 }, limit } as const;
    // `$type` lets the server use the partial index.
    return findMany(this.media, { sweepAt: { $type: 'date', $lte: new Date() } }, MEDIA_FIELDS, options);
  }
}
