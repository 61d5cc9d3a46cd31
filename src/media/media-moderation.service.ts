import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { FILES_PATH } from '../common/own-files.js';
import { type ModerationTarget, ModerationTargets } from '../moderation/moderation-targets.js';
import { type Removal, REMOVED_MS } from '../moderation/removal.js';
import type { SentFile } from '../platform/http/file-response.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { filesOf, MediaFiles } from './media-files.js';
import { unusedUntil } from './media-limits.js';
import { GUEST_ID } from './media-quota.js';
import { MEDIA_FIELDS } from './media-view.js';
import { Media } from './media.schema.js';

/** Removes images for moderators: their files are not served, and are deleted after 30 days unless a moderator restores them. */
@Injectable()
export class MediaModerationService implements ModerationTarget {
  constructor(
    private readonly files: MediaFiles,
    @InjectModel(Media.name) private readonly media: Model<Media>,
    targets: ModerationTargets,
  ) {
    targets.register('media', this);
  }

  async ownerOf(id: ObjectId, tx: Transaction): Promise<ObjectId> {
    return (await this.getRow(id, tx)).ownerId;
  }

  /** Returns the row of an existing image of an account, also of a removed one. @throws CodedError `media_not_found` */
  async getRow(_id: ObjectId, tx?: Transaction): Promise<Media> {
    const [row] = await this.findRows([_id], tx);
    if (row === undefined) throw mediaNotFound();
    return row;
  }

  /** Returns the rows of existing images of accounts, in no order. */
  async findRows(ids: readonly ObjectId[], tx?: Transaction): Promise<Media[]> {
    if (ids.length === 0) return [];
    const filter = {
      _id: { $in: [...ids] },
      ownerId: { $ne: GUEST_ID },
      state: { $in: ['ready', 'removed'] },
    } satisfies QueryFilter<Media>;
    return findMany(this.media, filter, MEDIA_FIELDS, tx && { session: tx?.session });
  }

  /** The stored public address of the original. A removed image is 404 there. */
  addressOf(row: Media): string {
    return `${FILES_PATH}/${filesOf(row)[0]!.key}`;
  }

  /** Opens the original of an image of an account, also of a removed one. @throws CodedError `media_not_found` */
  async openOriginal(id: ObjectId): Promise<SentFile> {
    const row = await this.getRow(id);
    const { key, bytes } = filesOf(row)[0]!;
    return { type: row.type, bytes, disposition: 'inline', open: (range) => this.files.open(key, range) };
  }

  /** @throws CodedError `media_not_found`, `already_removed` */
  async moderate(_id: ObjectId, { at }: Removal, tx: Transaction): Promise<void> {
    const { state } = await this.getRow(_id, tx);
    if (state === 'removed') throw new CodedError('already_removed', 'The image is already removed.');
    // The job deletes the image at this time, as an unused one.
    const removed = { state: 'removed', sweepAt: new Date(at.getTime() + REMOVED_MS) } as const;
    await this.media.updateOne({ _id }, { $set: removed }, { session: tx.session, runValidators: true });
  }

  /** @throws CodedError `media_not_found`, `not_removed` */
  async restore(_id: ObjectId, tx: Transaction): Promise<void> {
    const { state } = await this.getRow(_id, tx);
    if (state !== 'removed') throw new CodedError('not_removed', 'The image is not removed.');
    // In a day, the job finds out whether a text still references the image.
    const ready = { state: 'ready', sweepAt: unusedUntil() } as const;
    await this.media.updateOne({ _id }, { $set: ready }, { session: tx.session, runValidators: true });
  }

  /** Refuses bytes that a moderator removed. @throws CodedError `content_rejected` */
  async requireNotRemoved(ownerId: ObjectId, sha256: Media['sha256']): Promise<void> {
    if ((await findOne(this.media, { ownerId, state: 'removed', sha256 }, { _id: 1 })) === null) return;
    throw new CodedError('content_rejected', 'A moderator removed this image.');
  }
}

/** The path of an image for moderators. */
export function moderationPath(id: string): string {
  return `/v1/moderation/media/${id}/content`;
}

export function mediaNotFound(): CodedError {
  return new CodedError('media_not_found', 'Image not found.');
}
