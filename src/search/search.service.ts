import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import type { ListFilter } from '../blocks/list-filter.js';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { CommentListsService } from '../comments/comment-lists.service.js';
import { CursorCodec, type CursorPosition } from '../common/cursor.js';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import type { Viewer } from '../platform/access/viewer.js';
import { fullPage } from '../platform/http/pagination/full-page.js';
import type { Page } from '../platform/http/pagination/page.js';
import { POST_TYPES } from '../posts/post-types.js';
import { PostsService } from '../posts/posts.service.js';
import { toAuthor } from '../users/author-snapshot.js';
import { toPublicUser, type PublicUserDto } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import type { SearchQuery, SuggestQuery } from './dto/search.query.js';
import { Engagement } from './engagement.js';
import { IndexReaders } from './index-readers.js';
import { type RankedPost, rankPosts } from './post-rank.js';
import {
  type FoundCommentDto,
  type FoundPostDto,
  type SearchPageDto,
  type SuggestionsDto,
  toFoundComment,
  toFoundPost,
} from './search.dto.js';
import {
  type DocumentKind,
  type IndexResult,
  type IndexQuery,
  KINDS,
  MAX_CANDIDATES,
  type PostCandidate,
} from './search-index.js';
import { queryOf, type Term, termsOf } from '../common/words.js';

/** number of results per kind in a search for all kinds */
const OF_ALL = 5;

type Keyed = { id: string; key: number };
type Request = {
  query: SearchQuery;
  index: IndexQuery;
  first: IndexResult;
  scope: string;
  after: CursorPosition | null;
  filter: ListFilter;
};

/** Searches the index for candidates. Checks visibility when filling a page. */
@Injectable()
export class SearchService {
  constructor(
    private readonly readers: IndexReaders,
    private readonly posts: PostsService,
    private readonly users: UsersService,
    private readonly engagement: Engagement,
    private readonly cursors: CursorCodec,
    private readonly filters: ViewerFiltersService,
    private readonly comments: CommentListsService,
    private readonly config: AppConfig,
  ) {}

  /** @throws CodedError `user_not_found` for an author that is not there, `not_found` for comments if they are not indexed, `search_not_ready`, `overloaded` */
  async search(query: SearchQuery, viewer: Viewer | null = null): Promise<SearchPageDto> {
    const { q, kind, sort, type, tag, author, limit } = query;
    const terms = requireTerms(q);
    if (kind === 'comments' && !this.config.search.hasComments)
      throw new CodedError('not_found', 'This server does not search comments: SEARCH_COMMENTS is off.');
    const authorId = author === undefined ? undefined : (await this.users.getProfile(author))._id.toHexString();
    const scope = ['search', kind, sort, type, tag, authorId, queryOf(terms)].join('/');
    const after = this.cursors.decode(scope, query.cursor);
    const isOne = kind !== 'all';
    const index: IndexQuery = { terms, kinds: isOne ? [kind] : [...KINDS], sort, type, tag, authorId };
    const isByKey = kind === 'users' || kind === 'comments' || (kind === 'posts' && sort === 'latest');
    const first = await this.readers.query({ ...index, after: isByKey ? after?.value : undefined });
    const filter = await this.filters.of(viewer);
    const request: Request = { query: { ...query, limit: isOne ? limit : OF_ALL }, index, first, scope, after, filter };
    const [posts, users, comments] = await Promise.all([
      this.listPosts(request),
      this.listUsers(request),
      this.listComments(request),
    ]);
    const nextCursor = isOne ? (posts.page.nextCursor ?? users.page.nextCursor ?? comments.page.nextCursor) : null;
    // Later pages by key query only posts after their cursor, but the counts include all posts.
    const counted = isByKey && kind === 'posts' && after !== null ? await this.readers.query(index) : first;
    return {
      data: {
        posts: posts.data,
        users: users.data,
        tags: first.tags.slice(0, request.query.limit),
        comments: comments.data,
      },
      page: { nextCursor },
      facets: { types: countTypes(counted.posts) },
      correctedTo: first.corrected === null ? null : queryOf(first.corrected),
      matches: first.matches,
    };
  }

  /** @throws CodedError `search_not_ready`, `overloaded` */
  async suggest({ q, limit }: SuggestQuery): Promise<SuggestionsDto> {
    const { userIds, tags, words } = await this.readers.suggest(requireTerms(q), limit);
    const users = await this.users.findUsers(userIds.map((id) => ObjectId.createFromHexString(id)));
    return { data: { users: users.map((user) => toAuthor(user._id, user)), tags, words } };
  }

  private async listPosts(request: Request): Promise<Page<FoundPostDto>> {
    const { first, index, filter } = request;
    const resolve = (rows: PostCandidate[]): Promise<(FoundPostDto | null)[]> =>
      this.findPosts(rows, first.corrected ?? index.terms, filter);
    if (index.sort === 'latest') return this.pageByKey(request, 'posts', resolve);
    const now = request.after?.epoch ?? Math.floor(Date.now() / 1_000);
    const scores = await this.engagement.scoresOf(first.posts.map(({ id }) => id));
    const ranked = rankPosts(first.posts, scores, now);
    const start = startBehind(request.after, ranked);
    const cursorOf = (post: RankedPost): string =>
      this.cursors.encode(request.scope, { epoch: now, value: ranked.indexOf(post), id: post.id });
    const read = async (last: RankedPost | null, count: number): Promise<RankedPost[]> => {
      const from = last === null ? start : ranked.indexOf(last) + 1;
      return ranked.slice(from, from + count);
    };
    return fullPage(request.query.limit, read, resolve, cursorOf, filter.maxRows);
  }

  private listUsers(request: Request): Promise<Page<PublicUserDto>> {
    return this.pageByKey(request, 'users', async (rows) => {
      const found = await this.users.findUsers(rows.map(({ id }) => ObjectId.createFromHexString(id)));
      const byId = new Map(found.map((row) => [row._id.toHexString(), row]));
      return rows.map(({ id }) => {
        const row = byId.get(id);
        return row === undefined || request.filter.hidesAccount(id) ? null : toPublicUser(row);
      });
    });
  }

  private listComments(request: Request): Promise<Page<FoundCommentDto>> {
    return this.pageByKey(request, 'comments', async (rows) => {
      const ids = rows.map(({ id }) => ObjectId.createFromHexString(id));
      const found = ids.length === 0 ? [] : await this.comments.findPublic(ids, request.filter);
      return found.map((comment) => comment && toFoundComment(comment, request.index.terms));
    });
  }

  /** Returns a page in the order of the index. Reads further candidates until the page is full. */
  private pageByKey<Kind extends DocumentKind, T>(
    { query, index, first, scope, filter }: Request,
    kind: Kind,
    resolve: (rows: IndexResult[Kind][number][]) => Promise<(T | null)[]>,
  ): Promise<Page<T>> {
    type Row = IndexResult[Kind][number];
    const read = async (last: Row | null, count: number): Promise<Row[]> => {
      const rows: Row[] = last === null ? [...first[kind]] : [];
      let isEnd = last === null && rows.length < MAX_CANDIDATES;
      for (let from: Keyed | null = rows.at(-1) ?? last; rows.length < count && !isEnd && from !== null;) {
        const next: Row[] = (await this.readers.query({ ...index, after: from.key }))[kind];
        rows.push(...next);
        isEnd = next.length === 0;
        from = next.at(-1) ?? null;
      }
      return rows.slice(0, count);
    };
    const cursorOf = ({ id, key: value }: Row): string => this.cursors.encode(scope, { epoch: 0, value, id });
    return fullPage(query.limit, read, resolve, cursorOf, filter.maxRows);
  }

  private async findPosts(rows: PostCandidate[], terms: Term[], filter: ListFilter): Promise<(FoundPostDto | null)[]> {
    const cards = await this.posts.findCards(
      rows.map(({ id }) => ObjectId.createFromHexString(id)),
      null,
    );
    const byId = new Map(cards.map((card) => [card.id, card]));
    return rows.map(({ id }) => {
      const found = byId.get(id);
      const card = found && filter.filterCard(found);
      return card ? toFoundPost(card, terms) : null;
    });
  }
}

/** @throws CodedError `invalid_input` if there is no word */
function requireTerms(q: string): Term[] {
  const terms = termsOf(q);
  if (terms.length > 0) return terms;
  const fields = [{ field: 'q', message: 'must contain a word to search for' }];
  throw new CodedError('invalid_input', 'q must contain a word to search for', { fields });
}

/** Returns the index after the last row of the previous page, or that row's former index, because any write changes all BM25 ranks. */
function startBehind(after: CursorPosition | null, ranked: readonly RankedPost[]): number {
  if (after === null) return 0;
  const at = ranked.findIndex(({ id }) => id === after.id);
  return at === -1 ? after.value : at + 1;
}

function countTypes(posts: PostCandidate[]): SearchPageDto['facets']['types'] {
  const counts = POST_TYPES.map((type) => ({ type, count: posts.filter((post) => post.type === type).length }));
  return counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
}
