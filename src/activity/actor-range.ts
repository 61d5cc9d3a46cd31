import { type Document, ObjectId } from 'mongodb';

/** A range of an index whose rows say who did something to a target, latest first: for one branch of a union. */
export type ActorRange = {
  collection: string;
  filter: Document;
  /** with all fields of the index, so that no other index is chosen */
  sort: Document;
  /** the account, as an expression; null where the row does not name it */
  actor: string | null;
  row: string;
};

/** Ids by their time: from one up to another. */
export type IdRange = { $gte: ObjectId; $lt: ObjectId };

/** An id that stands for a time, in ms, among rows that are ordered by a date. */
export function idAt(date: Date): ObjectId {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(Math.floor(date.getTime() / 1_000), 0);
  bytes.writeUInt16BE(date.getTime() % 1_000, 4);
  return new ObjectId(bytes);
}

export function dateOf({ id }: ObjectId): Date {
  const bytes = Buffer.from(id);
  return new Date(bytes.readUInt32BE(0) * 1_000 + bytes.readUInt16BE(4));
}
