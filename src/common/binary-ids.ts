import { Binary, type ObjectId } from 'mongodb';

/** What a row of `interactions` records; the byte is part of its primary key and must never change. */
const INTERACTION_KIND_BYTES = { vote: 1, save: 2 } as const;
export type InteractionKind = keyof typeof INTERACTION_KIND_BYTES;

const OBJECT_ID_BYTES = 12;

/** The primary key of a row that may exist once per ordered pair: 24 bytes, `first` then `second`. */
export function pairId(first: ObjectId, second: ObjectId): Binary {
  const bytes = new Uint8Array(2 * OBJECT_ID_BYTES);
  bytes.set(first.id, 0);
  bytes.set(second.id, OBJECT_ID_BYTES);
  return new Binary(bytes);
}

/** The primary key of a row that may exist once per (user, kind, target): 25 bytes in that order. */
export function interactionId(userId: ObjectId, kind: InteractionKind, targetId: ObjectId): Binary {
  const bytes = new Uint8Array(2 * OBJECT_ID_BYTES + 1);
  bytes.set(userId.id, 0);
  bytes[OBJECT_ID_BYTES] = INTERACTION_KIND_BYTES[kind];
  bytes.set(targetId.id, OBJECT_ID_BYTES + 1);
  return new Binary(bytes);
}
