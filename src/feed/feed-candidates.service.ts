import { Injectable } from '@nestjs/common';
import { BSON, type ObjectId } from 'mongodb';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { findRaw } from '../platform/mongo/raw-read.js';
import { SecondaryReads } from '../platform/mongo/secondary-reads.js';
import { CARDS } from '../posts/card/post-card.js';
import { LATEST } from '../posts/publication-order.js';
import { ScoreEpochService } from '../ranking/score-epoch.service.js';
import { type FeedPlan, listPlanOf, planOf, planOfTags } from './feed-plan.js';
import { authorBranches, MAX_MERGED_AUTHORS } from './timelines/following-reader.js';

/** A listed post with what ranks it. */
export type FeedCandidate = { id: string; authorId: string; tags: string[]; createdAt: Date; top: number };

type Row = { _id: ObjectId; authorId: ObjectId; tags: string[]; createdAt: Date; rank: Record<string, number> };

const HOT = { sort: 'hot', window: 'all' } as const;

/** Finds listed posts to choose from. Each method reads one index range, or one merge of ranges, without cards. */
@Injectable()
export class FeedCandidatesService {
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

  async hot(limit: number): Promise<FeedCandidate[]> {
    return this.find(planOf(HOT, (await this.epochs.current()).slot, null), limit);
  }

  async byIds(ids: readonly string[]): Promise<FeedCandidate[]> {
    return ids.length === 0 ? [] : this.find(listPlanOf(HOT, ids), ids.length);
  }

  private async find({ filter, sort, hint }: FeedPlan, limit: number): Promise<FeedCandidate[]> {
    const { slot } = await this.epochs.current();
    const rank = slot === 'A' ? 'topA' : 'topB';
    const projection = { authorId: 1, tags: 1, createdAt: 1, [`rank.${rank}`]: 1 } as const;
    const find = { filter, projection, sort, hint, limit };
    const { buffer, offsets } = await this.reads.run('feed', (target) => findRaw(this.mongo.db, CARDS, find, target));
    return offsets.map((index) => {
      const row = BSON.deserialize(buffer, { allowObjectSmallerThanBufferSize: true, index }) as Row;
      const { _id, authorId, tags, createdAt } = row;
      return { id: _id.toHexString(), authorId: authorId.toHexString(), tags, createdAt, top: row.rank[rank]! };
    });
  }
}
