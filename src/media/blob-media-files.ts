import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { BlobStore } from '../platform/blobs/blob-store.js';
import type { MongoService } from '../platform/mongo/mongo.service.js';
import { MediaFiles } from './media-files.js';

/** Stores files in the database. Needs no further server, and every backup contains the files. */
export class BlobMediaFiles extends MediaFiles {
  private readonly blobs: BlobStore;

  constructor(mongo: MongoService) {
    super();
    this.blobs = new BlobStore(mongo, 'media');
  }

  async put(key: string, path: string): Promise<void> {
    await this.blobs.put(key, createReadStream(path));
  }

  open(key: string, range: { start?: number; end?: number }): Readable {
    return this.blobs.open(key, range);
  }

  delete(key: string): Promise<void> {
    return this.blobs.delete(key);
  }

  findLength(key: string): Promise<number | null> {
    return this.blobs.findLength(key);
  }

  async *keys(): AsyncGenerator<string, void, undefined> {
    for await (const id of this.blobs.ids()) yield String(id);
  }
}
