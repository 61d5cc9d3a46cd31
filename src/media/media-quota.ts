import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import type { Viewer } from '../platform/access/viewer.js';
import { MAX_BYTES, MAX_FILES, MAX_GUEST_BYTES } from './media-limits.js';
import type { Media } from './media.schema.js';
import type { Transaction } from '../platform/mongo/transaction.js';

/** Owner of images uploaded without an account, until a text of an account references them. No account has this id. */
export const GUEST_ID = ObjectId.createFromHexString('0'.repeat(24));

/** viewer of uploads without an account */
export const GUEST: Pick<Viewer, '_id'> = { _id: GUEST_ID };

/** Whether an owner may store more images. One read of the sizes of the owner's images. */
export async function hasCapacity(media: Model<Media>, ownerId: ObjectId, tx?: Transaction): Promise<boolean> {
  const bytes = { $add: ['$bytes', { $sum: '$variants.bytes' }] };
  const [used] = await media
    .aggregate<{ files: number; bytes: number }>([
      { $match: { ownerId } },
      { $group: { _id: null, files: { $sum: 1 }, bytes: { $sum: bytes } } },
    ])
    .session(tx?.session ?? null);
  const maxBytes = ownerId.equals(GUEST_ID) ? MAX_GUEST_BYTES : MAX_BYTES;
  return used === undefined || (used.files < MAX_FILES && used.bytes < maxBytes);
}
