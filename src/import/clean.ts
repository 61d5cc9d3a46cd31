import { ObjectId } from 'mongodb';

/** Whether the value is a default image of the OpenCanvas client: `/defaults/profile.jpeg`, with or without the host. */
export function isDefaultImage(value: unknown): boolean {
  return typeof value === 'string' && /^(?:https?:\/\/(?:www\.)?opencanvas\.[a-z]+)?\/defaults\//.test(value);
}

/** Returns the time if it is not in the future, otherwise the time of the id, also capped at `now`. */
export function timeOf(value: unknown, id: ObjectId, now: Date): Date {
  if (value instanceof Date && value <= now && value.getTime() > 0) return value;
  const ofId = id.getTimestamp();
  return ofId <= now ? ofId : now;
}

/** Returns the time of the last change, which is never before the creation. */
export function changeOf(value: unknown, createdAt: Date, now: Date): Date {
  return value instanceof Date && value > createdAt && value <= now ? value : createdAt;
}

export function countOf(value: unknown): number {
  return typeof value === 'number' && value >= 1 ? Math.min(Math.floor(value), 0x7fff_ffff) : 0;
}

export function idOf(value: unknown): ObjectId | null {
  return value instanceof ObjectId ? value : null;
}

/** Returns an id that sorts by `at` and is the same in every run: its other bytes are those of the source's id. */
export function seqOf(at: Date, sourceId: ObjectId): ObjectId {
  const bytes = Uint8Array.from(sourceId.id);
  new DataView(bytes.buffer).setUint32(0, Math.floor(at.getTime() / 1_000));
  return new ObjectId(bytes);
}

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
