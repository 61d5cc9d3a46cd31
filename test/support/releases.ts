import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BSON, type CreateCollectionOptions, type Db, type IndexDescription } from 'mongodb';
import { readBackup } from '../../src/platform/backup/backup-file.js';

/** Releases whose database `scripts/release-dump.mjs` has written. */
export const RELEASES = ['0.1.0', '0.2.0', '0.3.0'] as const;
export type Release = (typeof RELEASES)[number];

export type ReleaseAccount = { id: string; username: string; password: string; refreshToken: string };
type Role = 'reader' | 'moderator' | 'admin' | 'member';
/** The rows that every release has. */
type Named =
  | ('post' | 'privatePost' | 'editedPost' | 'lockedPost' | 'deletedPost')
  | ('comment' | 'deletedComment' | 'reply' | 'collection' | 'draft' | 'scheduledDraft');

export type ReleaseFacts = {
  version: string;
  revision: string;
  dumpedAt: Date;
  /** A server needs it to accept the cursors and sessions of the release. */
  authTokenSecret: string;
  accounts: Record<Role, ReleaseAccount> & { writer: ReleaseAccount & { apiToken: string } };
  ids: Record<Named, string> & Record<'filter' | 'invite' | 'unlistedPost', string | undefined>;
  /** Requests with an Idempotency-Key, and their first responses. */
  repeatable: { by: Role | 'writer'; path: string; key: string; body: object; status: number; response: object }[];
  collections: Record<string, { options: CreateCollectionOptions; indexes: IndexDescription[] }>;
};

/** A backup as `cli restore` reads it, without indexes and validators. */
export function releaseBackup(release: Release): string {
  return fileURLToPath(new URL(`../data/releases/${release}.backup`, import.meta.url));
}

export function releaseFacts(release: Release): ReleaseFacts {
  const text = readFileSync(releaseBackup(release).replace(/backup$/, 'json'), 'utf8');
  return BSON.EJSON.parse(text) as ReleaseFacts;
}

/**
 * Fills an empty database as the release left it, with its indexes and validators. Dates of collections with a TTL, and dates in the future
 * of the dump, move by its age, so that the rows of an old dump still hold.
 */
export async function restoreRelease(db: Db, release: Release): Promise<ReleaseFacts> {
  const facts = releaseFacts(release);
  const age = Date.now() - facts.dumpedAt.getTime();
  const isShortLived = (name: string) =>
    facts.collections[name]!.indexes.some(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  for (const [name, { options, indexes }] of Object.entries(facts.collections)) {
    await db.createCollection(name, options);
    const secondary = indexes.filter((index) => index.name !== '_id_');
    if (secondary.length > 0) await db.collection(name).createIndexes(secondary);
  }
  await readBackup(releaseBackup(release), async ({ collection, parts }) => {
    const from = isShortLived(collection) ? new Date(0) : facts.dumpedAt;
    const rows = parts.map((bytes) => move(BSON.deserialize(bytes, AS_STORED), from, age) as BSON.Document);
    await db.collection(collection).insertMany(rows, { ordered: false });
  });
  return facts;
}

const AS_STORED = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

function move(value: unknown, from: Date, byMs: number): unknown {
  if (value instanceof Date) return value > from ? new Date(value.getTime() + byMs) : value;
  if (Array.isArray(value)) return value.map((each) => move(each, from, byMs));
  if (typeof value !== 'object' || value === null || '_bsontype' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, move(each, from, byMs)]));
}
