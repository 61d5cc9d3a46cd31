import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ObjectId } from 'mongodb';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { decodeAll, findRaw } from '../platform/mongo/raw-read.js';
import { SecondaryReads } from '../platform/mongo/secondary-reads.js';
import { CARDS, type PostCardRow } from '../posts/card/post-card.js';
import { LATEST } from '../posts/publication-order.js';
import { ScoreEpochService } from '../ranking/score-epoch.service.js';
import { type FeedPlan, listPlanOf, planOf, planOfTags } from './feed-plan.js';
import { authorBranches, MAX_MERGED_AUTHORS } from './timelines/following-reader.js';

/** A listed post with what ranks it. */
export type FeedCandidate = { id: string; authorId: string; tags: string[]; createdAt: Date; top: number };

type CandidateRow = Pick<PostCardRow, '_id' | 'authorId' | 'tags' | 'createdAt'> & {
  rank: { topA: number; topB: number };
};
const HOT = { sort: 'hot', window: 'all' } as const;
const MAX_HOT = 250;
const HOT_TTL_MS = 10_000;

/** Finds listed posts to choose from. Each method reads one index range, or one merge of ranges, without cards. */
@Injectable()
export class FeedCandidatesService {
  /** The hot posts of an epoch, for all readers. cache-manager would parse them from JSON for each. */
  private readonly hotPosts = new LRUCache<number, FeedCandidate[]>({
    max: 1,
    ttl: HOT_TTL_MS,
    fetchMethod: async () => this.find(planOf(HOT, (await this.epochs.current()).slot, null), MAX_HOT),
  });

  constructor(
    private readonly mongo: MongoService,
    private readonly reads: SecondaryReads,
    private readonly epochs: ScoreEpochService,
  ) {}

  /** Returns the newest posts of at most 200 authors. */
  async ofAuthors(authors: readonly ObjectId[], limit: number): Promise<FeedCandidate[]> {
    const [branch] = authorBranches(authors.slice(0, MAX_MERGED_AUTHORS), null, null);
    return branch === undefined ? [] : this.find({ ...branch, sort: LATEST }, limit);
  }

  /** Returns the newest posts with any of these tags. */
  async ofTags(tags: string[], limit: number): Promise<FeedCandidate[]> {
    return tags.length === 0 ? [] : this.find(planOfTags(tags, null), limit);
  }

  /** Returns the first 250 posts of the hot feed, up to ten seconds old. */
  async hot(): Promise<FeedCandidate[]> {
    return (await this.hotPosts.fetch((await this.epochs.current()).epoch))!;
  }

  async byIds(ids: readonly string[]): Promise<FeedCandidate[]> {
    return ids.length === 0 ? [] : this.find(listPlanOf(HOT, ids), ids.length);
  }

  private async find({ filter, sort, hint }: FeedPlan, limit: number): Promise<FeedCandidate[]> {
    const { slot } = await this.epochs.current();
    const projection = { authorId: 1, tags: 1, createdAt: 1, [`rank.top${slot}`]: 1 } as const;
    const find = { filter, projection, sort, hint, limit };
    const found = await this.reads.run('feed', (target) => findRaw(this.mongo.db, CARDS, find, target));
    return decodeAll<CandidateRow>(found).map(({ _id, authorId, rank, ...row }) => {
      return { id: _id.toHexString(), authorId: authorId.toHexString(), top: rank[`top${slot}`], ...row };
    });
  }
}
