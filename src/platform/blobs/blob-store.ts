import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { GridFSBucket, type ObjectId } from 'mongodb';
import { MongoService } from '../mongo/mongo.service.js';

const BUCKET = 'blobs';

/** Bytes too large for a row, the same for all hosts: GridFS, in chunks. Memory holds a chunk or two. */
@Injectable()
export class BlobStore {
  constructor(private readonly mongo: MongoService) {}

  /** In place of what an earlier attempt left. What fails half way is in no read, and removed. @returns its length */
  async put(id: ObjectId, content: Readable, signal?: AbortSignal): Promise<number> {
    await this.delete(id);
    const upload = this.bucket.openUploadStreamWithId(id, id.toHexString());
    try {
      await pipeline(content, upload, signal === undefined ? {} : { signal });
    } catch (error) {
      await this.delete(id).catch(() => {});
      throw error;
    }
    return upload.length;
  }

  /** @param range from `start`, up to and without `end` */
  open(id: ObjectId, range: { start?: number; end?: number } = {}): Readable {
    return this.bucket.openDownloadStream(id, range);
  }

  /** Once is as good as twice; also for chunks of an upload that was killed. */
  async delete(id: ObjectId): Promise<void> {
    await this.mongo.collection(`${BUCKET}.files`).deleteOne({ _id: id });
    await this.mongo.collection(`${BUCKET}.chunks`).deleteMany({ files_id: id });
  }

  private get bucket(): GridFSBucket {
    return new GridFSBucket(this.mongo.db, { bucketName: BUCKET, writeConcern: { w: 'majority' } });
  }
}
