import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoNetworkError } from 'mongodb';
import type { Connection } from 'mongoose';
import { BACKGROUND } from '../../platform/mongo/slow-query/command-monitor.js';
import { listMissingIndexes } from '../../platform/mongo/indexes/indexes.js';
import type { RunFence } from '../../engagement/rank-batches.js';
import type { RankIndex, RankSlot } from './score-epoch.js';

const RETRY_AFTER_MS = 500;
const RANK = /^rank\.(hot|top|win)[AB]$/;

/** The index by which a run finds the posts that are due. */
export const DUE_INDEX = { isListed: 1, 'rank.due': 1 } as const;

/** The indexes of `posts` that only readers of the slot and the job use. */
export async function listRankIndexes(db: Db, slot: RankSlot): Promise<RankIndex[]> {
  const existing = (await db.collection('posts').listIndexes().toArray()) as RankIndex[];
  return existing
    .filter(isOfSlot(slot))
    .map(({ name, key, partialFilterExpression: partial }) =>
      partial === undefined ? { name, key } : { name, key, partialFilterExpression: partial },
    );
}

/** False in a database whose indexes are those of an older version, or while a build is under way. */
export async function hasDueIndex(db: Db): Promise<boolean> {
  const existing = (await db.collection('posts').listIndexes().toArray()) as RankIndex[];
  return existing.some(({ key }) => Object.keys(key).join() === Object.keys(DUE_INDEX).join());
}

/** Looks at the lease right before the drop, which the server does within the fence's time or not at all. */
export async function dropRankIndexes(
  db: Db,
  indexes: RankIndex[],
  fence: RunFence,
  signal: AbortSignal,
): Promise<void> {
  const existing = new Set((await db.collection('posts').listIndexes().toArray()).map(({ name }) => name as string));
  const names = indexes.map(({ name }) => name).filter((name) => existing.has(name));
  if (names.length === 0) return;
  const { maxTimeMS } = fence.fields();
  await fence.confirm();
  signal.throwIfAborted();
  await db.command({ dropIndexes: 'posts', index: names, maxTimeMS });
}

/** What the schemas declare for readers of the slot, or for the job, and the collection lacks. */
export async function listMissingRankIndexes(
  connection: Connection,
  slot: RankSlot,
  isForJob: boolean,
): Promise<RankIndex[]> {
  const missing = await listMissingIndexes(connection, 'posts');
  const wanted = missing.filter(isOfSlot(slot)).filter(({ key }) => isForJob || !('rank.due' in key));
  return wanted.map(({ key, ...options }) => {
    const name = Object.entries(key).flat().join('_');
    return { name, key: key as RankIndex['key'], ...options };
  });
}

function isOfSlot(slot: RankSlot): (index: { key: object }) => boolean {
  return ({ key }) =>
    Object.keys(key).some((field) => field === 'rank.due' || (RANK.test(field) && field.endsWith(slot)));
}

/**
 * Two commands side by side, each one scan for its half; indexes that exist are left alone, and readers and writers go on meanwhile.
 * It returns or throws when both are over.
 */
export async function buildRankIndexes(db: Db, indexes: RankIndex[], signal: AbortSignal): Promise<void> {
  const builds = inHalves(indexes).map((half) => build(db, half, signal));
  await Promise.allSettled(builds);
  await Promise.all(builds);
}

/**
 * A build uses one core: both halves together take 0.6 of the time of one command (docs/experiments.md). An index with a key
 * per tag costs about twice another one.
 */
function inHalves(indexes: RankIndex[]): RankIndex[][] {
  const costOf = ({ key }: RankIndex) => ('tags' in key ? 2 : 1);
  const halves = [0, 0].map((cost) => ({ indexes: [] as RankIndex[], cost }));
  for (const index of [...indexes].sort((a, b) => costOf(b) - costOf(a))) {
    const half = halves.reduce((lighter, other) => (other.cost < lighter.cost ? other : lighter));
    half.indexes.push(index);
    half.cost += costOf(index);
  }
  return halves.map((half) => half.indexes);
}

/** A build that takes longer than the socket waits goes on in the server: asking again waits for its end. */
async function build(db: Db, indexes: RankIndex[], signal: AbortSignal): Promise<void> {
  while (indexes.length > 0) {
    signal.throwIfAborted();
    try {
      await db.command({ createIndexes: 'posts', indexes, comment: BACKGROUND });
      return;
    } catch (error) {
      if (!(error instanceof MongoNetworkError)) throw error;
      await sleep(RETRY_AFTER_MS);
    }
  }
}
