import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, streamRows } from '../platform/mongo/lean-reads.js';
import { fileKey } from './file-key.js';
import { MediaFiles } from './media-files.js';
import { MEDIA_FIELDS } from './media-view.js';
import { Media } from './media.schema.js';

const BATCH = 100;

/** An image in the export of its owner. */
export type OwnImage = {
  /** file name with extension */
  name: string;
  about: { id: string; width: number; height: number; alt: string; createdAt: Date };
  open: () => Promise<Readable>;
};

/** All images of one account, in full size. */
@Injectable()
export class OwnMediaService {
  constructor(
    private readonly files: MediaFiles,
    @InjectModel(Media.name) private readonly media: Model<Media>,
  ) {}

  /** Streams images, oldest first. */
  async *stream(ownerId: ObjectId): AsyncGenerator<OwnImage, void, undefined> {
    const rows = streamRows<Media>(BATCH, (last, limit) => {
      const own = { ownerId, state: 'ready' as const, ...(last === null ? {} : { _id: { $gt: last._id } }) };
      return findMany(this.media, own, MEDIA_FIELDS, { sort: { _id: 1 }, limit });
    });
    for await (const row of rows) {
      const { _id, secret, type, width, height, alt, createdAt } = row;
      const key = fileKey(_id, secret, type, null);
      const about = { id: _id.toHexString(), width, height, alt, createdAt };
      yield { name: key, about, open: async () => this.files.open(key, {}) };
    }
  }
}
