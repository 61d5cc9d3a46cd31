import { Injectable } from '@nestjs/common';
import type { Binary, ObjectId } from 'mongodb';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { FeedCandidatesService } from '../feed/feed-candidates.service.js';
import { latestFollowing } from '../follows/latest-following.js';
import { InteractionsService } from '../interactions/interactions.service.js';
import { votesOf } from '../interactions/like-range.js';
import type { Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { aggregateRaw, decodeAll } from '../platform/mongo/raw-read.js';
import { latestTags } from '../tags/latest-tags.js';
import { personalisedAccount } from '../users/users.service.js';
import { AFFINITIES, type Affinities } from './affinities.schema.js';
import { AffinitiesService } from './affinities.service.js';
import { newestSnapshots } from './feed-snapshot.schema.js';
import { rankCandidates, type Ranked, type Reader } from './rank-candidates.js';

/** Candidates of each source: with 50 related posts, at most 300 together. A reader who follows none gets more of the hot ones. */
const LIMITS = { ofAuthors: 80, ofTags: 50, hot: 80, liked: 40 } as const;
const READ_FOLLOWS = 200;
const READ_LIKES_OF = 50;

/** Rows of the ranges in `findState`. */
export type ReaderState = {
  affinities: Affinities[];
  follows: { followingId: ObjectId }[];
  tagFollows: { tag: string }[];
  votes: { _id: Binary }[];
  snapshots: { _id: ObjectId; feedId: ObjectId }[];
};

/** Collects and ranks the candidates of a reader. */
@Injectable()
export class PersonalRankingService {
  constructor(
    private readonly mongo: MongoService,
    private readonly filters: ViewerFiltersService,
    private readonly interactions: InteractionsService,
    private readonly candidates: FeedCandidatesService,
    private readonly affinities: AffinitiesService,
  ) {}

  /** Returns null for an account that wants no lists made for it. One command. */
  async findState({ _id }: Viewer): Promise<ReaderState | null> {
    const ranges = {
      affinities: { from: AFFINITIES, pipeline: [{ $match: { _id } }] },
      follows: latestFollowing(_id, READ_FOLLOWS),
      tagFollows: latestTags(_id),
      votes: votesOf(_id),
      snapshots: newestSnapshots(_id),
    };
    const lookups = Object.entries(ranges).map(([as, range]) => ({ $lookup: { ...range, as } }));
    const { from, pipeline } = personalisedAccount(_id);
    const command = { pipeline: [...pipeline, ...lookups], hint: { _id: 1 }, limit: 1 };
    const found = await aggregateRaw(this.mongo.db, from, command);
    return decodeAll<ReaderState>(found)[0] ?? null;
  }

  /** Omits posts that the reader wrote, voted on, hides or wants less of. */
  async rank(viewer: Viewer, { follows, tagFollows, votes, ...state }: ReaderState): Promise<Ranked[]> {
    const { _id, id } = viewer;
    const [filter, affinities] = await Promise.all([
      this.filters.of(viewer),
      this.affinities.refresh(_id, state.affinities[0]),
    ]);
    const tags = tagFollows.map(({ tag }) => tag);
    const authors = follows
      .map((row) => row.followingId)
      .filter((author) => !filter.hidesAccount(author.toHexString()));
    const related = hexOf(affinities.related);
    const readLiked = async () => {
      const liked = await this.interactions.latestLikedBy(authors.slice(0, READ_LIKES_OF), LIMITS.liked);
      return { liked, posts: await this.candidates.byIds([...new Set([...liked, ...related])]) };
    };
    const [{ liked, posts }, hot, ...others] = await Promise.all([
      readLiked(),
      this.candidates.hot(),
      this.candidates.ofAuthors(authors, LIMITS.ofAuthors),
      this.candidates.ofTags(tags, LIMITS.ofTags),
    ]);
    const unwanted = new Set(
      affinities.feedback.filter(({ kind }) => kind === 'less').map(({ postId }) => postId.toHexString()),
    );
    const isShown = (post: { id: string; authorId: string }): boolean =>
      post.authorId !== id && !unwanted.has(post.id) && !filter.hidesPost(post.id, post.authorId);
    const popular = authors.length + tags.length === 0 ? hot : hot.slice(0, LIMITS.hot);
    const found = new Map([posts, popular, ...others].flat().map((post) => [post.id, post]));
    const shown = [...found.values()].filter(isShown);
    const voted = await this.interactions.votedAmong(
      _id,
      shown.map((post) => post.id),
      votes,
    );
    const reader: Reader = {
      authors: new Map(affinities.authors.map((author) => [author.id.toHexString(), author.weight])),
      tags: new Map(affinities.tags.map(({ tag, weight }) => [tag, weight])),
      followedAuthors: new Set(hexOf(authors)),
      followedTags: new Set(tags),
      likedByFollowed: new Set(liked),
      related: new Set(related),
    };
    return rankCandidates(
      shown.filter((post) => !voted.has(post.id)),
      reader,
      new Date(),
    );
  }
}

function hexOf(ids: readonly ObjectId[]): string[] {
  return ids.map((id) => id.toHexString());
}
