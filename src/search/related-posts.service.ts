import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import type { ListFilter } from '../blocks/list-filter.js';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { CodedError } from '../common/errors.js';
import type { Viewer } from '../platform/access/viewer.js';
import { fullPage } from '../platform/http/pagination/full-page.js';
import type { PostCard } from '../posts/card/post-card.js';
import { PostListsService } from '../posts/post-lists.service.js';
import { PostsService } from '../posts/posts.service.js';
import { Engagement } from './engagement.js';
import { IndexReaders } from './index-readers.js';
import { type RankedPost, rankPosts } from './post-rank.js';
import type { Reason, RelatedPostDto, RelatedPostsDto } from './related.dto.js';
import type { PostCandidate } from './search-index.js';

const MAX_OF_SAME_AUTHOR = 3;
const MAX_OF_OTHER_AUTHOR = 2;
/** newest posts with a common tag, for a post that is not in the index */
const MAX_TAGGED = 50;

export type Source = { _id: ObjectId; authorId: ObjectId; tags: string[] };

/** Finds the posts that resemble a post: candidates from the index, whose visibility is checked when the list is filled. */
@Injectable()
export class RelatedPostsService {
  constructor(
    private readonly readers: IndexReaders,
    private readonly posts: PostsService,
    private readonly lists: PostListsService,
    private readonly engagement: Engagement,
    private readonly filters: ViewerFiltersService,
  ) {}

  /** @throws CodedError `post_not_found`, `overloaded` */
  async list(id: ObjectId, limit: number, viewer: Viewer | null): Promise<RelatedPostsDto> {
    const source = await this.posts.getVisible(id, viewer);
    const candidates = await this.findCandidates(source);
    const scores = await this.engagement.scoresOf(candidates.map((post) => post.id));
    const ranked = rankPosts(candidates, scores, Math.floor(Date.now() / 1_000));
    const filter = await this.filters.of(viewer);
    const isWithinShare = authorShares(source);
    const read = async (last: RankedPost | null, count: number): Promise<RankedPost[]> => {
      const from = last === null ? 0 : ranked.indexOf(last) + 1;
      return ranked.slice(from, from + count);
    };
    const resolve = async (rows: RankedPost[]): Promise<(RelatedPostDto | null)[]> => {
      const cards = await this.findCards(rows, filter);
      return rows.map((row) => {
        const card = cards.get(row.id);
        return card && isWithinShare(card) ? { ...card, reason: reasonOf(card, source) } : null;
      });
    };
    const { data } = await fullPage(limit, read, resolve, (post) => post.id);
    return { data };
  }

  /** Returns at most 200 posts, in no order. Reads rows only if the index has none. @throws CodedError `overloaded` */
  async findCandidates(source: Source): Promise<PostCandidate[]> {
    try {
      const similar = await this.readers.similar(source._id.toHexString());
      if (similar.length > 0) return similar;
    } catch (error) {
      const isWithoutIndex = error instanceof CodedError && ['not_found', 'search_not_ready'].includes(error.code);
      if (!isWithoutIndex) throw error;
    }
    const tagged = await this.lists.newestWithTags(source.tags, MAX_TAGGED);
    return tagged
      .filter(({ _id }) => !_id.equals(source._id))
      .map(({ _id, type, tags, createdAt }) => {
        const score = tags.filter((tag) => source.tags.includes(tag)).length;
        const publishedAt = Math.floor(createdAt.getTime() / 1_000);
        return { id: _id.toHexString(), type, key: publishedAt, publishedAt, score };
      });
  }

  private async findCards(rows: RankedPost[], filter: ListFilter): Promise<Map<string, PostCard>> {
    const ids = rows.map(({ id }) => ObjectId.createFromHexString(id));
    const cards = (await this.posts.findCards(ids, null)).flatMap((card) => filter.filterCard(card) ?? []);
    return new Map(cards.map((card) => [card.id, card]));
  }
}

/** Returns a function that accepts a card until its author has as many as the list may have. */
function authorShares({ authorId }: Source): (card: PostCard) => boolean {
  const counts = new Map<string, number>();
  return ({ author }) => {
    const count = (counts.get(author.id) ?? 0) + 1;
    counts.set(author.id, count);
    return count <= (authorId.equals(author.id) ? MAX_OF_SAME_AUTHOR : MAX_OF_OTHER_AUTHOR);
  };
}

function reasonOf({ author, tags }: PostCard, source: Source): Reason {
  if (tags.some((tag) => source.tags.includes(tag))) return 'tag';
  return source.authorId.equals(author.id) ? 'author' : 'words';
}
