import type { Db } from 'mongodb';
import { EngagementJob, type ScoreRunOptions, type ScoreRunResult } from '../../src/ranking/engagement.job.js';
import { rankOf, scoredStatsOf } from '../../src/posts/score.js';
import type { Post } from '../../src/posts/post.schema.js';
import type { StoredScoreEpoch } from '../../src/ranking/ranking.schema.js';
import type { RankSlot } from '../../src/ranking/score-epoch.js';
import { ScoreEpochService } from '../../src/ranking/score-epoch.service.js';
import type { TestApp } from './app.js';

/** Returns the ids of listed posts whose ranks in `slot` differ from the formula for `now`. */
export async function wronglyRanked(db: Db, slot: RankSlot, now: Date): Promise<string[]> {
  const wrong: string[] = [];
  for await (const post of db.collection<Post>('posts').find({ isListed: true })) {
    const { hot, top, ageBucket } = rankOf(scoredStatsOf(post), post.createdAt, post.contentEditedAt, now, post._id);
    const { rank } = post;
    if (rank[`hot${slot}`] !== hot || rank[`top${slot}`] !== top || rank[`win${slot}`] !== ageBucket)
      wrong.push(post._id.toHexString());
  }
  return wrong;
}

/** The next run can then start without waiting until the slot has no readers. */
export async function forgetReaders(db: Db): Promise<void> {
  await db.collection<StoredScoreEpoch>('score_epochs').updateOne({}, { $set: { previousUntil: new Date(0) } });
}

/** Runs the score job. Resolves when every host has noticed, which would otherwise take up to two seconds. */
export async function runScoreJob(app: TestApp, options?: ScoreRunOptions): Promise<ScoreRunResult | null> {
  const result = await app.app.get(EngagementJob).run(options);
  for (const epochs of app.everyOf(ScoreEpochService)) await epochs.since(result?.epoch ?? 0);
  return result;
}
