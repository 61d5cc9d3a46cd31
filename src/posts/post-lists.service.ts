import { Injectable } from '@nestjs/common';
import { type Collection, type Filter, ObjectId } from 'mongodb';
import { NO_FILTER } from '../blocks/list-filter.js';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { CodedError } from '../common/errors.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { type NumberedPage, skipOf } from '../platform/http/pagination/numbered-page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type ReadTarget, SecondaryReads } from '../platform/mongo/secondary-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { UsersService } from '../users/users.service.js';
import { type Post, PostSchema } from './post.schema.js';
import { POST_TYPES } from './post-types.js';
import { CARD_PROJECTION, type PostCard, type PostCardRow, toPostCard } from './card/post-card.js';
import { OWN_CARD_PROJECTION, type OwnCardRow, type OwnPostCard, toOwnPostCard } from './post-view.js';
import { LATEST, newerThan, olderThan, OLDEST, positionOf } from './publication-order.js';
import { PostsService } from './posts.service.js';
import type { MyPostsQuery } from './dto/my-posts.query.js';
import { LISTED, ofVisibility, ownPosts } from './visibility.js';

const TAGGED_PROJECTION = { type: 1, tags: 1, createdAt: 1 } as const;
type TaggedRow = Pick<Post, '_id' | keyof typeof TAGGED_PROJECTION>;
/** The index of `withTags`. */
export const BY_TAG = { tags: 1, type: 1, ...LATEST } as const;

/** Lists cards: the viewer's own posts, and the public and featured posts of an author. */
@Injectable()
export class PostListsService {
  private readonly posts: Collection<Post>;

  constructor(
    private readonly mongo: MongoService,
    private readonly secondaries: SecondaryReads,
    private readonly reads: PostsService,
    private readonly users: UsersService,
    private readonly paginator: Paginator,
    private readonly filters: ViewerFiltersService,
  ) {
    this.posts = mongo.collection(PostSchema);
  }

  /**
   * Returns the posts of the viewer except deleted ones, including unlisted and hidden posts. A page reads the index range of the viewer
   * in order; filters select in it, as feeds do within an author.
   */
  listMine(viewer: Viewer, { type, visibility, tag, sort, ...query }: MyPostsQuery): Promise<Page<OwnPostCard>> {
    const filter: Filter<Post> = {
      ...ownPosts(viewer._id),
      ...(type && { type }),
      ...(tag && { tags: tag }),
      ...(visibility && ofVisibility(visibility)),
    };
    const scope = `my posts:${viewer.id}:${[type, visibility, tag, sort].join(':')}`;
    return this.byTime(filter, scope, query, toOwnPostCard, { isOldestFirst: sort === 'oldest' });
  }

  /** @throws CodedError `user_not_found`; an earlier name redirects to the account */
  async listByAuthor(username: string, query: PageQuery, viewer: Viewer | null = null): Promise<Page<PostCard>> {
    const author = await this.users.getProfile(username);
    const authorId = author._id.toHexString();
    const listFilter = await this.filters.of(viewer);
    if (listFilter.hidesAccount(authorId)) return { data: [], page: { nextCursor: null } };
    const filter = { authorId: author._id, ...LISTED };
    return this.byTime(filter, `posts of:${authorId}`, query, toPostCard, { isPublic: true, listFilter });
  }

  /** Returns one page of `listMine` by its number, and the total number of posts. */
  async mineByNumber(viewer: Viewer, query: NumberedPage): Promise<{ cards: PostCard[]; total: number }> {
    const filter = ownPosts(viewer._id);
    const [cards, total] = await Promise.all([this.byNumber(filter, query), this.posts.countDocuments(filter)]);
    return { cards, total };
  }

  /** As `mineByNumber`, for the public posts of an author. @throws CodedError `user_not_found` */
  async authorByNumber(authorId: ObjectId, query: NumberedPage): Promise<{ cards: PostCard[]; total: number }> {
    const { stats } = await this.users.getById(authorId);
    return { cards: await this.byNumber({ authorId, ...LISTED }, query), total: stats.postsCount };
  }

  /** Returns the featured posts in the author's order. */
  async listFeatured(username: string): Promise<PostCard[]> {
    const author = await this.users.getProfile(username);
    return this.reads.findCards(author.featuredPostIds, null);
  }

  /** Returns the newest public posts with any of these tags. */
  async newestWithTags(tags: readonly string[], limit: number): Promise<TaggedRow[]> {
    if (tags.length === 0) return [];
    const options = { projection: TAGGED_PROJECTION, sort: LATEST, limit, hint: BY_TAG };
    return this.posts.find<TaggedRow>(withTags(tags), options).toArray();
  }

  /** @throws CodedError `forbidden` for posts of others, `post_hidden`, `too_many_featured` */
  async feature(id: ObjectId, viewer: Viewer): Promise<string[]> {
    return hexOf(await this.mongo.serializedTransaction(viewer.id, (tx) => this.addFeatured(id, viewer, tx)));
  }

  async unfeature(id: ObjectId, viewer: Viewer): Promise<string[]> {
    return hexOf(await this.mongo.serializedTransaction(viewer.id, (tx) => this.removeFeatured(id, viewer, tx)));
  }

  /** Features a post or removes it, decided in the transaction. @returns whether the post is featured now. @throws as `feature` */
  async toggleFeatured(id: ObjectId, viewer: Viewer): Promise<boolean> {
    return this.mongo.serializedTransaction(viewer.id, async (tx) => {
      const ids = await this.users.featuredIds(viewer._id, tx);
      const isFeatured = ids.some((featured) => featured.equals(id));
      await (isFeatured ? this.removeFeatured(id, viewer, tx) : this.addFeatured(id, viewer, tx));
      return !isFeatured;
    });
  }

  private async addFeatured(id: ObjectId, viewer: Viewer, tx: Transaction): Promise<ObjectId[]> {
    const userId = viewer._id;
    const post = await this.reads.getReadable(id, viewer, tx);
    if (!post.authorId.equals(userId)) throw new CodedError('forbidden', 'You can feature only your own posts.');
    // Profiles are public, so even the id would reveal a draft.
    if (!post.isListed) throw new CodedError('post_hidden', 'Only public posts can be featured. Publish it first.');
    tx.invalidate([`user:${viewer.id}`]);
    return this.users.addFeatured(userId, id, tx);
  }

  private async removeFeatured(id: ObjectId, viewer: Viewer, tx: Transaction): Promise<ObjectId[]> {
    tx.invalidate([`user:${viewer.id}`]);
    return this.users.removeFeatured(viewer._id, id, tx);
  }

  private async byNumber(filter: Filter<Post>, query: NumberedPage): Promise<PostCard[]> {
    const options = { ...skipOf(query), projection: CARD_PROJECTION, sort: LATEST };
    return (await this.posts.find<PostCardRow>(filter, options).toArray()).map(toPostCard);
  }

  /** Reads one index range, by time of publication. */
  private async byTime<Card extends PostCard>(
    filter: Filter<Post>,
    scope: string,
    query: PageQuery,
    toCard: (row: OwnCardRow) => Card,
    { isPublic = false, isOldestFirst = false, listFilter = NO_FILTER } = {},
  ): Promise<Page<Card>> {
    return this.paginator.list<OwnCardRow, Card>({
      query,
      scope,
      positionOf,
      read: (after, limit) => {
        const range = after === null ? filter : { ...filter, ...(isOldestFirst ? newerThan(after) : olderThan(after)) };
        const find = (target?: ReadTarget): Promise<OwnCardRow[]> => {
          const sort = isOldestFirst ? OLDEST : LATEST;
          const options = { ...target, projection: OWN_CARD_PROJECTION, sort, limit };
          return this.posts.find<OwnCardRow>(range, options).toArray();
        };
        return isPublic ? this.secondaries.run('card', find) : find();
      },
      resolve: async (rows) => rows.map((row) => listFilter.filterCard(toCard(row))),
      maxRows: listFilter.maxRows,
    });
  }
}

/** Selects public posts with any of these tags: one index range for each tag and type, merged in the order of LATEST. */
export function withTags(tags: readonly string[]) {
  return { ...LISTED, tags: { $in: [...tags] }, type: { $in: POST_TYPES } };
}

function hexOf(ids: ObjectId[]): string[] {
  return ids.map((id) => id.toHexString());
}
