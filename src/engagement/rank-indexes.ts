import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoNetworkError } from 'mongodb';
import { BACKGROUND } from '../platform/mongo/command-monitor.js';
import type { RankIndex, RankSlot } from './score-epoch.js';

const RETRY_AFTER_MS = 500;

/** The indexes of `posts` that only readers of the slot use. */
export async function listRankIndexes(db: Db, slot: RankSlot): Promise<RankIndex[]> {
  const existing = (await db.collection('posts').listIndexes().toArray()) as RankIndex[];
  return existing
    .filter(({ key }) =>
      Object.keys(key).some((field) => /^rank\.(hot|top|win)[AB]$/.test(field) && field.endsWith(slot)),
    )
    .map(({ name, key, partialFilterExpression: partial }) =>
      partial === undefined ? { name, key } : { name, key, partialFilterExpression: partial },
    );
}

export async function dropRankIndexes(db: Db, indexes: RankIndex[]): Promise<void> {
  const existing = new Set((await db.collection('posts').listIndexes().toArray()).map(({ name }) => name as string));
  const names = indexes.map(({ name }) => name).filter((name) => existing.has(name));
  if (names.length > 0) await db.command({ dropIndexes: 'posts', index: names });
}

/**
 * One command, one scan for all; those that exist are left alone, and readers and writers go on meanwhile. A build that takes longer
 * than the socket waits goes on in the server: asking again waits for its end.
 */
export async function buildRankIndexes(db: Db, indexes: RankIndex[], signal: AbortSignal): Promise<void> {
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
