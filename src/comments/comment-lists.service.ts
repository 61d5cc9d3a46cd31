import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { type ListFilter, MAX_FILTERED_ROWS, NO_FILTER } from '../blocks/list-filter.js';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { uniqueIds } from '../common/unique-ids.js';
import type { Viewer } from '../platform/access/viewer.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import type { PostSummary } from '../posts/card/post-card.js';
import { PostsService } from '../posts/posts.service.js';
import { isListedFor } from '../posts/visibility.js';
import { UsersService } from '../users/users.service.js';
import { type CommentJson, toComment, toReadableComment } from './comment-view.js';
import type { CommentWithPostDto } from './comment-with-post.dto.js';
import { Comment, COMMENTS_BY_AUTHOR } from './comment.schema.js';
import { CommentsService, READABLE_PROJECTION, type ReadableComment } from './comments.service.js';
import type { CommentState, ModeratedCommentsQuery } from './dto/comment-lists.dto.js';
import { excludeBelow, idsAbove } from './visibility.js';

/** The posts of a page by hex id, and what readers see of its Markdown. */
type PageContents = { posts: ReadonlyMap<string, PostSummary>; visible: ReadonlyMap<string, string> };
type ToItem = (row: ReadableComment, contents: PageContents) => CommentWithPostDto | null;

type Items = {
  findPosts: (ids: ObjectId[]) => Promise<Map<string, PostSummary>>;
  toItem: ToItem;
  filter: ListFilter;
};

type Rows = {
  filter: QueryFilter<Comment>;
  /** of the signed cursors */
  scope: string;
  query: PageQuery;
};

/**
 * Lists of comments with their posts, latest first. A page reads one range of an index, at most MAX_FILTERED_ROWS rows, and the posts and
 * ancestors of the rows by key. Rows that a list omits are read and dropped, so no list needs an index of its own.
 */
@Injectable()
export class CommentListsService {
  constructor(
    private readonly paginator: Paginator,
    private readonly posts: PostsService,
    private readonly users: UsersService,
    private readonly filters: ViewerFiltersService,
    private readonly comments: CommentsService,
    @InjectModel(Comment.name) private readonly rows: Model<Comment>,
  ) {}

  /** Lists what everyone may read of an account, also for itself. @throws CodedError `user_not_found` */
  async listByAuthor(username: string, viewer: Viewer | null, query: PageQuery): Promise<Page<CommentWithPostDto>> {
    const { _id: authorId } = await this.users.getProfile(username);
    const id = authorId.toHexString();
    const listFilter = await this.filters.of(viewer);
    if (listFilter.hidesAccount(id)) return { data: [], page: { nextCursor: null } };
    return this.listPublic({ filter: { authorId }, scope: `comments by:${id}`, query }, listFilter);
  }

  /** Lists what everyone may read on the whole site. */
  async listLatest(viewer: Viewer | null, query: PageQuery): Promise<Page<CommentWithPostDto>> {
    return this.listPublic({ filter: {}, scope: 'latest comments', query }, await this.filters.of(viewer));
  }

  /** Lists comments in a state for a moderator, with removed texts. Omits nothing that the moderator blocks or mutes. */
  listForModerator(viewer: Viewer, query: ModeratedCommentsQuery): Promise<Page<CommentWithPostDto>> {
    const { authorId, state } = query;
    const filter = authorId === undefined ? {} : { authorId: ObjectId.createFromHexString(authorId) };
    const rows = { filter, scope: `moderated comments:${authorId ?? ''}:${state}`, query };
    return this.listReadable(rows, viewer, (row) => state === 'all' || state === stateOf(row));
  }

  /** Lists the viewer's own comments, also on posts that the viewer can no longer read, and removed ones with their texts. */
  listMine(viewer: Viewer, query: PageQuery): Promise<Page<CommentWithPostDto>> {
    const rows = { filter: { authorId: viewer._id }, scope: `my comments:${viewer.id}`, query };
    return this.listReadable(rows, viewer, (row) => stateOf(row) !== 'deleted');
  }

  /** Returns comments as public lists show them, in the order of `ids`; null for one that they omit. */
  async findPublic(ids: readonly ObjectId[], filter: ListFilter): Promise<(CommentWithPostDto | null)[]> {
    const rows = await findMany(this.rows, { _id: { $in: [...ids] } }, READABLE_PROJECTION);
    const items = await this.resolve(rows, this.publicItems(filter));
    const byId = new Map(rows.map(({ _id }, at) => [_id.toHexString(), items[at]]));
    return ids.map((id) => byId.get(id.toHexString()) ?? null);
  }

  /** Lists comments with a text on public posts, without those of limited accounts and those that the filter omits. */
  private listPublic(rows: Rows, filter: ListFilter): Promise<Page<CommentWithPostDto>> {
    return this.list(rows, this.publicItems(filter));
  }

  private publicItems(filter: ListFilter): Items {
    const toItem: ToItem = (row, { posts, visible }) => {
      const summary = posts.get(row.postId.toHexString());
      const post = summary && filter.filterCard<PostSummary & Pick<CommentJson, 'filtered'>>(summary);
      if (!post || row.deletedAt !== null || row.isLimited === true) return null;
      const ofText = filter.filterComment(row.authorId.toHexString(), visible.get(row.content) ?? row.content);
      if (ofText === 'hidden') return null;
      const warnings = new Map([...(post.filtered ?? []), ...ofText].map((one) => [one.id, one]));
      const filtered = warnings.size === 0 ? {} : { filtered: [...warnings.values()] };
      return withPost({ ...toComment(row), ...filtered }, post);
    };
    return { toItem, filter, findPosts: (ids) => this.posts.findSummaries(ids, null, isListedFor) };
  }

  /** Lists comments as `toReadableComment`. The post is null if the viewer may not read it. */
  private listReadable(
    rows: Rows,
    viewer: Viewer,
    isListed: (row: ReadableComment) => boolean,
  ): Promise<Page<CommentWithPostDto>> {
    const toItem: ToItem = (row, { posts }) =>
      isListed(row) ? withPost(toReadableComment(row, viewer), posts.get(row.postId.toHexString())) : null;
    return this.list(rows, { toItem, filter: NO_FILTER, findPosts: (ids) => this.posts.findSummaries(ids, viewer) });
  }

  private async resolve(
    rows: ReadableComment[],
    { findPosts, toItem, filter }: Items,
  ): Promise<(CommentWithPostDto | null)[]> {
    const [posts, hiddenAncestors, visible] = await Promise.all([
      findPosts(uniqueIds(rows.map(({ postId }) => postId))),
      this.comments.findHiddenAncestors(idsAbove(rows)),
      this.comments.visibleTexts(filter, () => rows.map(({ content }) => content)),
    ]);
    const shown = new Set(excludeBelow(hiddenAncestors, rows).filter(({ isVisible }) => isVisible));
    return rows.map((row) => (shown.has(row) ? toItem(row, { posts, visible }) : null));
  }

  private list({ filter, scope, query }: Rows, items: Items): Promise<Page<CommentWithPostDto>> {
    const resolve = (rows: ReadableComment[]) => this.resolve(rows, items);
    const hint = 'authorId' in filter ? COMMENTS_BY_AUTHOR : ({ _id: 1 } as const);
    const options = { filter, fields: READABLE_PROJECTION, hint, query, scope, resolve, maxRows: MAX_FILTERED_ROWS };
    return this.paginator.listLatest(this.rows, options);
  }
}

/** A removed comment is stored as deleted, too. */
function stateOf({ deletedAt, removal }: ReadableComment): CommentState {
  if (deletedAt === null) return 'visible';
  return removal === undefined ? 'deleted' : 'removed';
}

function withPost(comment: CommentJson, post: PostSummary | undefined): CommentWithPostDto {
  return { ...comment, post: post ? { id: post.id, slug: post.slug, title: post.title } : null };
}
