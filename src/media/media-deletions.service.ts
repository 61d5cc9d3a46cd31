import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model, QueryFilter } from 'mongoose';
import { AppConfig } from '../config/app-config.js';
import { filesOf, MediaFiles } from './media-files.js';
import { MediaRefsService } from './media-refs.service.js';
import { MEDIA_DELETED } from './media.events.js';
import { Media } from './media.schema.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';

/** Deletes images in three steps: makes them unreadable, deletes their files, deletes their rows. */
@Injectable()
export class MediaDeletionsService {
  private readonly graceMs: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly files: MediaFiles,
    private readonly refs: MediaRefsService,
    @InjectModel(Media.name) private readonly media: Model<Media>,
    { jobs }: AppConfig,
  ) {
    this.graceMs = jobs.cleanupDelayMs;
  }

  /** Marks images. The sweep deletes them after all earlier uploads and transactions have ended. @returns the number of images */
  async delete(filter: QueryFilter<Media>, tx?: Transaction): Promise<number> {
    const ending = { state: 'ending', sweepAt: new Date(Date.now() + this.graceMs) } as const;
    const { modifiedCount } = await this.media.updateMany(
      filter,
      { $set: ending },
      { session: tx?.session, runValidators: true },
    );
    return modifiedCount;
  }

  /** Idempotent. */
  async deleteNow(row: Pick<Media, '_id' | 'secret' | 'type' | 'bytes' | 'variants'>): Promise<void> {
    for (const { key } of filesOf(row)) await this.files.delete(key);
    await this.refs.deleteOf(row._id);
    await this.mongo.transaction(async (tx) => {
      await tx.runHooks(MEDIA_DELETED, row._id);
      await this.media.deleteOne({ _id: row._id }, { session: tx.session });
    });
  }
}
