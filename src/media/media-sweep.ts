import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { AppConfig } from '../config/app-config.js';
import { eachRow } from '../platform/jobs/each-row.js';
import { JobsRunner } from '../platform/jobs/jobs-runner.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { MediaRefs } from './media-refs.service.js';
import { MediaRemoval } from './media-removal.service.js';
import { MEDIA_FIELDS } from './media-view.js';
import { MEDIA_MODEL, type MediaRow } from './media.schema.js';

const INTERVAL_MS = 10_000;
const BATCH = 100;

/** Deletes images without references for a day, interrupted uploads, and files of deleted rows. */
@Injectable()
export class MediaSweep implements OnApplicationBootstrap {
  constructor(
    private readonly mongo: MongoService,
    private readonly jobs: JobsRunner,
    private readonly refs: MediaRefs,
    private readonly removal: MediaRemoval,
    private readonly config: AppConfig,
    @InjectModel(MEDIA_MODEL) private readonly media: Model<MediaRow>,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.config.jobs.isEnabled) return;
    const isDue = async (): Promise<boolean> => (await this.findDue(1)).length > 0;
    this.jobs.every('media', INTERVAL_MS, (signal) => this.run(signal), isDue);
  }

  /** Until nothing is due. The caller holds the lease. @throws as `eachRow` */
  async run(signal: AbortSignal): Promise<void> {
    for (let rows = await this.findDue(BATCH); rows.length > 0; rows = await this.findDue(BATCH)) {
      await eachRow(rows, signal, (row) =>
        row.state === 'ready' ? this.endUnlessHeld(row) : this.removal.remove(row),
      );
    }
  }

  /** A concurrent first reference writes the row, too: one of the two transactions runs again and sees the other. */
  private async endUnlessHeld({ _id }: MediaRow): Promise<void> {
    await this.mongo.transaction(async (session) => {
      const due = { _id, state: 'ready', sweepAt: { $lte: new Date() } } as const;
      if ((await findOne(this.media, due, { state: 1 }, { session })) === null) return;
      if (await this.refs.isHeld(_id, session))
        await this.media.updateOne(due, { $set: { sweepAt: null } }, { session });
      else await this.removal.end(due, session);
    });
  }

  private findDue(limit: number): Promise<MediaRow[]> {
    const options = { sort: { sweepAt: 1 }, limit } as const;
    // $type lets the server use the partial index
    return findMany(this.media, { sweepAt: { $type: 'date', $lte: new Date() } }, MEDIA_FIELDS, options);
  }
}
