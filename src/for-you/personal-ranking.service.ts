import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { FeedCandidatesService } from '../feed/feed-candidates.service.js';
import { FollowsService } from '../follows/follows.service.js';
import { InteractionsService } from '../interactions/interactions.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { TagFollowsService } from '../tags/tag-follows.service.js';
import { AffinitiesService } from './affinities.service.js';
import { rankCandidates, type Ranked, type Reader } from './rank-candidates.js';

/** Candidates of each source: with 50 related posts, at most 300 together. */
const LIMITS = { ofAuthors: 80, ofTags: 50, hot: 80, liked: 40 } as const;
/** for a reader who follows none */
const HOT_ALONE = 250;
const READ_FOLLOWS = 200;
const READ_LIKES_OF = 50;

/** Collects and ranks the candidates of a reader. */
@Injectable()
export class PersonalRankingService {
  constructor(
    private readonly filters: ViewerFiltersService,
    private readonly follows: FollowsService,
    private readonly tagFollows: TagFollowsService,
    private readonly interactions: InteractionsService,
    private readonly candidates: FeedCandidatesService,
    private readonly affinities: AffinitiesService,
  ) {}

  /** Omits posts that the reader wrote, voted on, hides or wants less of. */
  async of(viewer: Viewer): Promise<Ranked[]> {
    const { _id, id } = viewer;
    const [filter, affinities, following, tags] = await Promise.all([
      this.filters.of(viewer),
      this.affinities.current(_id),
      this.follows.latestFollowing(_id, READ_FOLLOWS),
      this.tagFollows.followedTags(_id),
    ]);
    const authors = following.filter((author) => !filter.hidesAccount(author.toHexString()));
    const related = hexOf(affinities.related);
    const readLiked = async () => {
      const liked = hexOf(await this.interactions.latestLikedBy(authors.slice(0, READ_LIKES_OF), LIMITS.liked));
      return { liked, posts: await this.candidates.byIds([...new Set([...liked, ...related])]) };
    };
    const [{ liked, posts }, ...others] = await Promise.all([
      readLiked(),
      this.candidates.ofAuthors(authors, LIMITS.ofAuthors),
      this.candidates.ofTags(tags, LIMITS.ofTags),
      this.candidates.hot(authors.length + tags.length === 0 ? HOT_ALONE : LIMITS.hot),
    ]);
    const unwanted = new Set(
      affinities.feedback.filter(({ kind }) => kind === 'less').map(({ postId }) => postId.toHexString()),
    );
    const isShown = (post: { id: string; authorId: string }): boolean =>
      post.authorId !== id && !unwanted.has(post.id) && !filter.hidesPost(post.id, post.authorId);
    const found = new Map([posts, ...others].flat().map((post) => [post.id, post]));
    const shown = [...found.values()].filter(isShown);
    const voted = await this.interactions.votedAmong(
      _id,
      shown.map((post) => post.id),
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
