import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GridFSBucket, type ObjectId } from 'mongodb';
import type { MongoService } from '../mongo/mongo.service.js';

/** GridFS accepts any value for an id, although its types allow only one. */
export type BlobId = ObjectId | string;

/** Blobs that all hosts share, stored in GridFS in chunks. Memory holds one or two chunks. */
export class BlobStore {
  /** @param name the bucket; features that compare their blobs with rows use a bucket of their own */
  constructor(
    private readonly mongo: MongoService,
    private readonly name: string,
  ) {}

  /** Replaces the remains of an earlier attempt. A failed upload is never readable, and is deleted. @returns the length */
  async put(id: BlobId, content: Readable, signal?: AbortSignal): Promise<number> {
    await this.delete(id);
    const upload = this.bucket.openUploadStreamWithId(id as ObjectId, String(id));
    try {
      await pipeline(content, upload, signal === undefined ? {} : { signal });
    } catch (error) {
      await this.delete(id).catch(() => {});
      throw error;
    }
    return upload.length;
  }

  /** @param range from `start` to before `end` */
  open(id: BlobId, range: { start?: number; end?: number } = {}): Readable {
    return this.bucket.openDownloadStream(id as ObjectId, range);
  }

  /** Idempotent; also deletes chunks of an interrupted upload. */
  async delete(id: BlobId): Promise<void> {
    await this.mongo.collection<{ _id: BlobId }>(`${this.name}.files`).deleteOne({ _id: id });
    await this.mongo.collection(`${this.name}.chunks`).deleteMany({ files_id: id });
  }

  /** Returns null when there is no blob, or only the remains of an interrupted upload. */
  async findLength(id: BlobId): Promise<number | null> {
    const files = this.mongo.collection<{ _id: BlobId; length: number }>(`${this.name}.files`);
    return (await files.findOne({ _id: id }, { projection: { length: 1 } }))?.length ?? null;
  }

  /** Yields all existing ids, including those of interrupted uploads, whose chunks exist without a file. */
  async *ids(): AsyncGenerator<BlobId, void, undefined> {
    const chunks = this.mongo.collection<{ files_id: BlobId }>(`${this.name}.chunks`);
    const first = chunks.find({ n: 0 }, { projection: { _id: 0, files_id: 1 } }).sort({ files_id: 1, n: 1 });
    for await (const { files_id } of first) yield files_id;
  }

  private get bucket(): GridFSBucket {
    return new GridFSBucket(this.mongo.db, { bucketName: this.name, writeConcern: { w: 'majority' } });
  }
}
