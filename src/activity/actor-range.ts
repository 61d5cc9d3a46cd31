import { type Document, ObjectId } from 'mongodb';

/** A range of an index with the accounts that acted on a target, latest first. Used as one branch of a $unionWith. */
export type ActorRange = {
  collection: string;
  filter: Document;
  /** contains all fields of the index, so that the planner chooses no other index */
  sort: Document;
  /** an expression for the account; null if the row does not contain it */
  actor: string | null;
  row: string;
};

/** A half-open range of ids, which are ordered by time. */
export type IdRange = { $gte: ObjectId; $lt: ObjectId };

/** Encodes a time (in ms) as an id, for rows that are ordered by a date instead of an id. `dateOf` decodes it. */
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
