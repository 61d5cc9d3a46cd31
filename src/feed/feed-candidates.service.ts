import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { BSON_TYPE, BsonFields, eachElement, int32, numberAt } from '../common/bson-fields.js';
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

const RANKS = { A: new BsonFields(['topA']), B: new BsonFields(['topB']) } as const;
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
    const projection = { authorId: 1, tags: 1, createdAt: 1, [`rank.top${slot}`]: 1 } as const;
    const find = { filter, projection, sort, hint, limit };
    const { buffer, offsets } = await this.reads.run('feed', (target) => findRaw(this.mongo.db, CARDS, find, target));
    return offsets.map((offset) => candidateAt(buffer, offset, RANKS[slot]));
  }
}

const post = new BsonFields(['_id', 'authorId', 'tags', 'createdAt', 'rank']);

/** Reads a document without decoding it, because a first page reads 300 of them. */
function candidateAt(buffer: Buffer, offset: number, rank: BsonFields): FeedCandidate {
  post.read(buffer, offset);
  const [idAt, authorAt, tagsAt, createdAt, rankAt] = [...post.offsets] as [number, number, number, number, number];
  const tags: string[] = [];
  eachElement(buffer, tagsAt, (_, at) => tags.push(buffer.toString('utf8', at + 4, at + 3 + int32(buffer, at))));
  rank.read(buffer, rankAt);
  return {
    id: buffer.toString('hex', idAt, idAt + 12),
    authorId: buffer.toString('hex', authorAt, authorAt + 12),
    tags,
    createdAt: new Date(numberAt(buffer, BSON_TYPE.date, createdAt)),
    top: numberAt(buffer, rank.types[0]!, rank.offsets[0]!),
  };
}
