import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import type { Viewer } from '../platform/access/viewer.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { fetchImport } from '../platform/safe-http/fetch-import.js';
import { SafeHttpClient } from '../platform/safe-http/safe-http-client.js';
import { UsersService } from '../users/users.service.js';
import { filesOf, MediaFiles } from './media-files.js';
import { MAX_BYTES, MAX_FILES, pendingUntil, unusedUntil } from './media-limits.js';
import { MediaModerationService } from './media-moderation.service.js';
import { MediaDeletionsService } from './media-deletions.service.js';
import { GUEST_ID, hasCapacity } from './media-quota.js';
import { MEDIA_FIELDS } from './media-view.js';
import { Media } from './media.schema.js';
import type { ProcessedImage, ImageFile } from './image-job.js';
import { invalidImage, ImageProcessor } from './image-processor.js';
import { HEAD_BYTES, imageTypeOf } from './image-type.js';
import { UploadDirectory } from './upload-directory.js';

/** Re-encodes uploaded bytes, and stores the files while the row is `pending`. */
@Injectable()
export class MediaUploadsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly outgoing: SafeHttpClient,
    private readonly directory: UploadDirectory,
    private readonly processor: ImageProcessor,
    private readonly files: MediaFiles,
    private readonly deletions: MediaDeletionsService,
    private readonly moderation: MediaModerationService,
    @InjectModel(Media.name) private readonly media: Model<Media>,
  ) {}

  /**
   * @param path of the received file, which is deleted afterwards
   * @throws CodedError `invalid_image`, `unsupported_media_type`, `media_quota`, `content_rejected`, `overloaded`, `user_not_found`
   */
  async upload(viewer: Pick<Viewer, '_id'>, path: string): Promise<Media> {
    try {
      return await this.add(viewer, (source) => rename(path, source));
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Uploads the bytes of a public URL. @throws CodedError `import_failed`, and the errors of `upload` */
  async import(viewer: Pick<Viewer, '_id'>, url: string): Promise<Media> {
    return this.add(viewer, async (source) => {
      const response = await fetchImport(this.outgoing, url, 'url');
      await writeFile(source, new Uint8Array(await response.arrayBuffer()));
    });
  }

  private add({ _id: ownerId }: Pick<Viewer, '_id'>, fill: (source: string) => Promise<void>): Promise<Media> {
    return this.directory.use(async (directory) => {
      const source = join(directory, 'source');
      await fill(source);
      await requireImage(source);
      const sha256 = ownerId.equals(GUEST_ID) ? new Binary(randomBytes(32)) : await hashOf(source);
      const existing = await this.findExisting(ownerId, sha256);
      if (existing !== null) return existing;
      await this.moderation.requireNotRemoved(ownerId, sha256);
      await this.requireCapacity(ownerId);
      const image = await this.processor.make({ source, directory });
      return this.store(newMedia(ownerId, sha256, image), image, directory);
    });
  }

  /** Limits the images of an account. Concurrent uploads may exceed the limit. */
  private async requireCapacity(ownerId: ObjectId): Promise<void> {
    if (await hasCapacity(this.media, ownerId)) return;
    const detail = `An account has room for ${MAX_FILES} images and ${MAX_BYTES / 1e9} GB; delete some first.`;
    const ofGuests = 'There is no room for images without an account; try again tomorrow.';
    throw new CodedError('media_quota', ownerId.equals(GUEST_ID) ? ofGuests : detail);
  }

  /** Finds an image with the same bytes. Extends the lifetime of an unused image by a day. */
  private async findExisting(ownerId: ObjectId, sha256: Binary): Promise<Media | null> {
    const same = { ownerId, sha256, state: 'ready' } as const;
    await this.media.updateOne({ ...same, sweepAt: { $type: 'date' } }, { $set: { sweepAt: unusedUntil() } });
    return findOne(this.media, same, MEDIA_FIELDS);
  }

  /** Writes the row first, so that the sweep finds the files of a killed process. */
  private async store(row: Media, image: ProcessedImage, directory: string): Promise<Media> {
    await this.mongo.transaction(async (tx) => {
      if (!row.ownerId.equals(GUEST_ID)) await this.users.getById(row.ownerId, tx);
      await this.media.insertOne(row, { session: tx.session });
    });
    try {
      const made: ImageFile[] = [image.original, ...image.variants];
      for (const [at, { key }] of filesOf(row).entries())
        await this.files.put(key, join(directory, made[at]!.name), made[at]!.type);
      const ready = { state: 'ready', sweepAt: unusedUntil() } as const;
      const { matchedCount } = await this.media.updateOne({ _id: row._id, state: 'pending' }, { $set: ready });
      // The account was deleted during the upload.
      if (matchedCount === 0) throw new CodedError('user_not_found', 'The account was deleted.');
      return { ...row, ...ready };
    } catch (error) {
      if (!isDuplicateKey(error)) {
        // If the database or the storage is unavailable, the sweep deletes the files later.
        await this.deleteUnlessReady(row).catch(() => {});
        throw error;
      }
      await this.deletions.deleteNow(row).catch(() => {});
      // The same bytes were uploaded twice concurrently.
      const existing = await this.findExisting(row.ownerId, row.sha256);
      if (existing === null) throw error;
      return existing;
    }
  }

  /** Deletes the files, unless the row is ready because only the response of the last write was lost. */
  private async deleteUnlessReady({ _id, ...files }: Media): Promise<void> {
    if ((await this.deletions.delete({ _id, state: 'pending' })) > 0) return;
    // The account was deleted, and the sweep may have run before the last files existed.
    if ((await findOne(this.media, { _id, state: 'ready' }, { _id: 1 })) === null)
      await this.deletions.deleteNow({ _id, ...files });
  }
}

function newMedia(ownerId: ObjectId, sha256: Binary, { original, variants, placeholder }: ProcessedImage): Media {
  const { type, width, height, bytes } = original;
  return {
    _id: new ObjectId(),
    ownerId,
    sha256,
    secret: randomBytes(8).toString('hex'),
    state: 'pending',
    ...{ type, width, height, bytes },
    variants: variants.map((variant) => ({ width: variant.width, bytes: variant.bytes })),
    placeholder,
    alt: '',
    createdAt: new Date(),
    sweepAt: pendingUntil(),
  };
}

/** @throws CodedError `invalid_image` for an empty file, `unsupported_media_type` */
async function requireImage(path: string): Promise<void> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    if (bytesRead === 0) throw invalidImage('is empty');
    if (imageTypeOf(buffer.subarray(0, bytesRead)) !== null) return;
    throw new CodedError('unsupported_media_type', 'The content of the file is not JPEG, PNG, WebP, AVIF or GIF.');
  } finally {
    await file.close();
  }
}

/** SHA-256 of a file */
export async function hashOf(path: string): Promise<Binary> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return new Binary(hash.digest());
}
