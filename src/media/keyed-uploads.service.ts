import { rm } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { IdempotencyService } from '../platform/idempotency/idempotency.service.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { hashOf, MediaUploadsService } from './media-uploads.service.js';
import { toMedia } from './media-view.js';
import type { Media } from './media.schema.js';

/** Uploads that may have an Idempotency-Key, which belongs to the bytes of the file. */
@Injectable()
export class KeyedUploadsService {
  constructor(
    private readonly uploads: MediaUploadsService,
    private readonly idempotency: IdempotencyService,
    private readonly mongo: MongoService,
  ) {}

  /** @param path of the received file, which is deleted afterwards @throws CodedError as `MediaUploadsService.upload` */
  async upload({ viewer, idempotencyKey: key }: WriteRequest, path: string): Promise<Media> {
    if (key === undefined) return this.uploads.upload(viewer, path);
    try {
      await this.idempotency.requireUnused(key, (await hashOf(path)).buffer);
      const row = await this.uploads.upload(viewer, path);
      const body = toMedia(row);
      const response = { status: 201, headers: { location: body.url }, body };
      // In a transaction of its own: without a stored response, the same bytes return the same image, too.
      await this.mongo.transaction(async (tx) => tx.storeResponse(key, response));
      return row;
    } finally {
      await rm(path, { force: true });
    }
  }
}
