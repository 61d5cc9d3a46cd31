import type { ObjectId } from 'mongodb';
import type { CursorPosition } from '../common/cursor.js';
import { CARD_PROJECTION } from '../posts/card/card-fields.js';
import { olderThan, afterPlace, LATEST } from '../posts/latest.js';
import type { RankSlot } from '../ranking/score-epoch.js';
import { POST_TYPES } from '../posts/post-types.js';
import { READABLE_BY_ALL } from '../posts/visibility.js';
import { FEED_WINDOWS, type FeedQuery } from './dto/feed.query.js';

/** The filter and order of a feed, without the page (limit, cursor). */
export type FeedSelection = Pick<FeedQuery, 'sort' | 'window' | 'tag' | 'type'> & { authorId?: ObjectId };

type Order = Record<string, 1 | -1>;

/** One index range: the filter with its bound, the order, and the index for both. */
export type FeedPlan = { filter: Record<string, unknown>; sort: Order; hint: Order };

/** The scope for which a cursor of this feed is signed. */
export function scopeOf(selection: FeedSelection): string {
  const { sort, window, tag = '', type = '', authorId } = selection;
  // a word that differs from the former order by id, so that its cursors are refused
  return `feed|${sort === 'latest' ? 'published' : sort}|${sort === 'top' ? window : ''}|${tag}|${type}|${authorId?.toHexString() ?? ''}`;
}

/** Includes the reader, so that the cursor of another reader is refused. */
export function followingScopeOf(viewerId: string): string {
  return `feed|published|following|${viewerId}`;
}

/** The dotted path of the rank that orders the feed; null for `latest`, which is ordered by time. */
export function sortPathOf(sort: FeedQuery['sort'], slot: RankSlot): string | null {
  if (sort === 'latest') return null;
  return sort === 'hot' ? `rank.hot${slot}` : `rank.top${slot}`;
}

/** The feeds over all posts that are one index range, which is long enough that hardly any page is the last. */
export function isOneLongRange({ sort, tag, type, authorId }: FeedSelection): boolean {
  return sort !== 'top' && tag === undefined && type === undefined && authorId === undefined;
}

/**
 * The plan of one page. Leading fields of an index without a filter are given as `$in` over all their values: the server merges these
 * ranges in order (SORT_MERGE), so no feed sorts and every examined document is returned. Only the combinations of `author` with `tag`,
 * `type` or `window` filter within the author's own posts.
 */
export function planOf(selection: FeedSelection, slot: RankSlot, after: CursorPosition | null): FeedPlan {
  const { sort, window, tag, type, authorId } = selection;
  const path = sortPathOf(sort, slot);
  const filter: Record<string, unknown> = { ...READABLE_BY_ALL };
  const hint: Order = {};
  if (authorId !== undefined) {
    filter['authorId'] = authorId;
    hint['authorId'] = 1;
    if (tag !== undefined) filter['tags'] = tag;
    if (type !== undefined) filter['type'] = type;
  } else {
    if (tag !== undefined) {
      filter['tags'] = tag;
      hint['tags'] = 1;
    }
    if (tag !== undefined || type !== undefined || sort === 'top') {
      filter['type'] = type ?? { $in: POST_TYPES };
      hint['type'] = 1;
    }
  }
  if (sort === 'top') {
    const windows = FEED_WINDOWS.slice(0, FEED_WINDOWS.indexOf(window) + 1).map((_, index) => index);
    if (authorId === undefined) {
      filter[`rank.win${slot}`] = { $in: windows };
      hint[`rank.win${slot}`] = 1;
    } else if (window !== 'all') {
      filter[`rank.win${slot}`] = { $in: windows };
    }
  }
  if (after !== null) Object.assign(filter, path === null ? olderThan(after) : afterPlace(path, after.value, after.id));
  const order: Order = path === null ? LATEST : { [path]: -1, _id: -1 };
  return { filter, sort: order, hint: { ...hint, ...order } };
}

const projections = new Map<string | null, Record<string, 1>>();

/** The projection of every feed read; `rankPath` adds the rank that orders the page. */
export function feedProjection(rankPath: string | null): Record<string, 1> {
  let projection = projections.get(rankPath);
  if (projection === undefined) {
    projection = rankPath === null ? CARD_PROJECTION : { ...CARD_PROJECTION, [rankPath]: 1 };
    projections.set(rankPath, projection);
  }
  return projection;
}
