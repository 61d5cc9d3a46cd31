import { Binary, ObjectId } from 'mongodb';

/** The kinds of rows in `interactions`. The byte is part of the primary key and must never change. */
const KIND_BYTES = { vote: 1, save: 2, follow: 3, hide: 4 } as const;
export type InteractionKind = keyof typeof KIND_BYTES;
export const INTERACTION_KINDS = Object.keys(KIND_BYTES) as InteractionKind[];

const OBJECT_ID_BYTES = 12;
const FIRST_ID = new ObjectId(new Uint8Array(OBJECT_ID_BYTES));
const LAST_ID = new ObjectId(new Uint8Array(OBJECT_ID_BYTES).fill(0xff));

/** Returns the primary key of a row, which is unique per user, kind and target: 25 bytes in that order. */
export function interactionId(userId: ObjectId, kind: InteractionKind, targetId: ObjectId): Binary {
  const bytes = new Uint8Array(2 * OBJECT_ID_BYTES + 1);
  bytes.set(userId.id, 0);
  bytes[OBJECT_ID_BYTES] = KIND_BYTES[kind];
  bytes.set(targetId.id, OBJECT_ID_BYTES + 1);
  return new Binary(bytes);
}

/** Returns the target (hex) of a row by its primary key. */
export function targetOf({ buffer }: Binary): string {
  return Buffer.from(buffer).toString('hex', OBJECT_ID_BYTES + 1, 2 * OBJECT_ID_BYTES + 1);
}

/** The primary keys of an account's rows of one kind. */
export function idsOfKind(userId: ObjectId, kind: InteractionKind): { $gte: Binary; $lte: Binary } {
  return { $gte: interactionId(userId, kind, FIRST_ID), $lte: interactionId(userId, kind, LAST_ID) };
}
