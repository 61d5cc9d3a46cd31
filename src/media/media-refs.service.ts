import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { pairId } from '../common/pair-id.js';
import { byIds } from '../platform/mongo/update-statements.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { MediaRef } from './media-ref.schema.js';
import { Media } from './media.schema.js';
import { imageIdsIn } from './file-key.js';
import { unusedUntil } from './media-limits.js';
import { GUEST_ID, hasCapacity } from './media-quota.js';

/** Images that a holder references. Only references to images of the owner are stored. */
export type ImageReferences = { holderId: ObjectId; ownerId: ObjectId; mediaIds: readonly string[] };

type FoundRow = Pick<Media, '_id' | 'ownerId' | 'sweepAt'>;

/**
 * References from texts to images. A holder references the images of all its versions, because authors can restore versions. An image
 * without references is deleted after a day.
 */
@Injectable()
export class MediaRefsService {
  constructor(
    private readonly mongo: MongoService,
    @InjectModel(Media.name) private readonly media: Model<Media>,
    @InjectModel(MediaRef.name) private readonly refs: Model<MediaRef>,
  ) {}

  /** Adds references in the transaction of the texts. */
  async attach(
    texts: readonly (string | null | undefined)[],
    holder: Omit<ImageReferences, 'mediaIds'>,
    tx: Transaction,
  ): Promise<void> {
    await this.attachAll([{ ...holder, mediaIds: imageIdsIn(texts) }], tx);
  }

  /** Adds references of several holders in the transaction of the texts. */
  async attachAll(references: readonly ImageReferences[], tx: Transaction): Promise<void> {
    const ids = [...new Set(references.flatMap(({ mediaIds }) => mediaIds))].map((id) =>
      ObjectId.createFromHexString(id),
    );
    if (ids.length === 0) return;
    const media = this.media.collection;
    const filter = { ...byIds(ids), state: 'ready' };
    const fields = { ownerId: 1, sweepAt: 1 };
    const found = await tx.find<FoundRow>(media, filter, fields, ids.length);
    const guests = found.filter(({ ownerId }) => ownerId.equals(GUEST_ID));
    for (const row of guests) await this.claim(row, references, tx);
    const rows = new Map(found.map((row) => [row._id.toHexString(), row]));
    const attached = references.flatMap(({ holderId, ownerId, mediaIds }) =>
      mediaIds.flatMap((id) => {
        const row = rows.get(id);
        return row?.ownerId.equals(ownerId) ? [{ row, holderId }] : [];
      }),
    );
    const refs = attached.map(({ row, holderId }) => ({ _id: pairId(row._id, holderId), holderId }));
    await tx.insertMissing(this.refs.collection, refs);
    // A concurrent deletion of an image conflicts with this write. An image in use needs no write.
    const newlyUsed = attached.filter(({ row }) => row.sweepAt !== null).map(({ row }) => row._id);
    if (newlyUsed.length === 0) return;
    const use = { q: { _id: { $in: newlyUsed } }, u: { $set: { sweepAt: null } }, multi: true };
    await tx.update(media, [use]);
  }

  /** Replaces the references of the holder with these. */
  async replace({ holderId, ownerId, mediaIds }: ImageReferences): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const kept = mediaIds.map((id) => pairId(ObjectId.createFromHexString(id), holderId));
      await this.delete({ holderId, _id: { $nin: kept } }, tx);
      await this.attachAll([{ holderId, ownerId, mediaIds }], tx);
    });
  }

  /** Deletes the references of a deleted holder. Idempotent. */
  async detach(holderId: ObjectId): Promise<void> {
    await this.mongo.transaction((tx) => this.delete({ holderId }, tx));
  }

  /** Keeps images that have no references until a later time. */
  async keepUnused(mediaIds: readonly string[], until: Date): Promise<void> {
    const among = { _id: { $in: mediaIds.map((id) => ObjectId.createFromHexString(id)) }, state: 'ready' } as const;
    await this.media.updateMany({ ...among, sweepAt: { $lt: until } }, { $set: { sweepAt: until } });
  }

  async isReferenced(mediaId: ObjectId, tx: Transaction): Promise<boolean> {
    return (await findOne(this.refs, refsOf(mediaId), { _id: 1 }, { session: tx.session })) !== null;
  }

  /** Deletes all references to an image that is deleted despite being in use. */
  async deleteOf(mediaId: ObjectId): Promise<void> {
    await this.refs.deleteMany(refsOf(mediaId));
  }

  /** Assigns an image without an account to the first account that references it, if that account has capacity. */
  private async claim(row: FoundRow, references: readonly ImageReferences[], tx: Transaction): Promise<void> {
    const { ownerId } = references.find(({ mediaIds }) => mediaIds.includes(row._id.toHexString()))!;
    if (!(await hasCapacity(this.media, ownerId, tx))) return;
    await this.media.updateOne({ _id: row._id }, { $set: { ownerId } }, { session: tx.session });
    row.ownerId = ownerId;
  }

  /** Deletes references. Their images are checked in a day, and remain if other holders reference them. */
  private async delete(filter: { holderId: ObjectId; _id?: object }, tx: Transaction): Promise<void> {
    const refs = await findMany(this.refs, filter, { _id: 1 }, { session: tx.session });
    if (refs.length === 0) return;
    const ids = refs.map(({ _id }) => new ObjectId(_id.buffer.subarray(0, 12)));
    const sweepAt = unusedUntil();
    await this.media.updateMany({ _id: { $in: ids }, state: 'ready' }, { $set: { sweepAt } }, { session: tx.session });
    await this.refs.deleteMany({ _id: { $in: refs.map(({ _id }) => _id) } }, { session: tx.session });
  }
}

/** Selects the references to one image: a range of the primary key. */
export function refsOf(mediaId: ObjectId): { _id: { $gte: Binary; $lte: Binary } } {
  const end = (byte: number): Binary => new Binary(Buffer.concat([mediaId.id, Buffer.alloc(12, byte)]));
  return { _id: { $gte: end(0x00), $lte: end(0xff) } };
}
