import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, streamRows } from '../platform/mongo/lean-reads.js';
import { Exported, type ExportedFile } from '../users/exported.decorator.js';
import { fileKey } from './file-key.js';
import { MediaFiles } from './media-files.js';
import { MEDIA_FIELDS } from './media-view.js';
import { Media } from './media.schema.js';

const BATCH = 100;

/** All images of one account, in full size. */
@Injectable()
export class OwnMediaService {
  constructor(
    private readonly images: MediaFiles,
    @InjectModel(Media.name) private readonly media: Model<Media>,
  ) {}

  @Exported('pictures.jsonl')
  async *descriptions(ownerId: ObjectId): AsyncGenerator<object, void, undefined> {
    for await (const row of this.stream(ownerId)) {
      const { _id, width, height, alt, createdAt } = row;
      yield { file: nameOf(row), id: _id.toHexString(), width, height, alt, createdAt };
    }
  }

  @Exported('pictures/')
  async *files(ownerId: ObjectId): AsyncGenerator<ExportedFile, void, undefined> {
    for await (const row of this.stream(ownerId)) {
      const name = nameOf(row);
      yield { name, content: async () => this.images.open(name, {}) };
    }
  }

  /** Streams images, oldest first. */
  private stream(ownerId: ObjectId): AsyncGenerator<Media, void, undefined> {
    return streamRows<Media>(BATCH, (last, limit) => {
      const own = { ownerId, state: 'ready' as const, ...(last === null ? {} : { _id: { $gt: last._id } }) };
      return findMany(this.media, own, MEDIA_FIELDS, { sort: { _id: 1 }, limit });
    });
  }
}

/** Returns the name of the stored file, with its extension. */
function nameOf({ _id, secret, type }: Media): string {
  return fileKey(_id, secret, type, null);
}
