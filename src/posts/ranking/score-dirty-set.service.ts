import { Injectable } from '@nestjs/common';
import { Binary, type Collection, type Db, ObjectId, type ClientSession } from 'mongodb';
import { BACKGROUND } from '../../platform/mongo/slow-query/command-monitor.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { SCORE_MARKS, type ScoreMarkRow } from './score-dirty-set.schema.js';

const ID_BYTES = 12;
/** so long a post that was marked is not marked again by the same process */
const KNOWN_MS = 30_000;
const KNOWN_LIMIT = 50_000;
/**
 * A change may rely on a mark this much older than its commit: as long as a process knows of it, and a transaction may live (60 s),
 * and the clocks of two hosts may differ (90 s).
 */
const RELIED_ON_MS = 180_000;

/**
 * What the score job has to look at besides the posts whose time has come. Every transaction that changes what a post is scored by
 * (a scored counter, the date of its text, whether it is listed) marks it; one row for all posts of a batch, none for a post that this process
 * has marked a moment ago, so a hot post costs its votes nothing.
 */
@Injectable()
export class ScoreMarks {
  private known = new Set<string>();
  private knownSince = -Infinity;

  constructor(private readonly mongo: MongoService) {}

  /** @param postIds in hex, each once */
  async add(postIds: readonly string[], session: ClientSession): Promise<void> {
    const known = this.currentlyKnown();
    const unknown = postIds.filter((id) => !known.has(id));
    if (unknown.length === 0) return;
    const posts = new Binary(Buffer.from(unknown.join(''), 'hex'));
    const row: ScoreMarkRow = { _id: new ObjectId(), posts, createdAt: new Date() };
    await this.mongo.batch.insert({ collectionName: SCORE_MARKS }, [row], session);
    // to the set of the moment of writing: one that began later promises younger marks
    this.mongo.afterCommit(session, () => {
      for (const id of unknown) known.add(id);
    });
  }

  private currentlyKnown(): Set<string> {
    const now = performance.now();
    if (now - this.knownSince >= KNOWN_MS || this.known.size >= KNOWN_LIMIT) {
      this.known = new Set();
      this.knownSince = now;
    }
    return this.known;
  }
}

/** Where a run begins to read that follows one which began at `runBegan`. */
export function marksAfter(runBegan: Date): Date {
  return new Date(runBegan.getTime() - RELIED_ON_MS);
}

/** The posts marked since then, by hex id; null when there are more than `limit`. */
export async function readScoreMarks(db: Db, since: Date, limit: number): Promise<Set<string> | null> {
  const posts = new Set<string>();
  const options = { comment: BACKGROUND, batchSize: 1_000 };
  for await (const { posts: ids } of marksOf(db).find({ createdAt: { $gte: since } }, options)) {
    const hex = ids.toString('hex');
    for (let at = 0; at < hex.length; at += 2 * ID_BYTES) posts.add(hex.slice(at, at + 2 * ID_BYTES));
    if (posts.size > limit) return null;
  }
  return posts;
}

/** Those that no later run reads. */
export async function removeScoreMarks(db: Db, before: Date): Promise<void> {
  await marksOf(db).deleteMany({ createdAt: { $lt: before } }, { comment: BACKGROUND });
}

function marksOf(db: Db): Collection<ScoreMarkRow> {
  return db.collection<ScoreMarkRow>(SCORE_MARKS);
}
