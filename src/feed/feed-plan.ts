import { ObjectId } from 'mongodb';
import type { CursorPosition } from '../common/cursor.js';
import { CARD_PROJECTION } from '../posts/card/post-card.js';
import { olderThan, afterPosition, LATEST } from '../posts/publication-order.js';
import { isListSort } from '../ranking/feed-list.js';
import type { RankSlot } from '../ranking/score-epoch.js';
import { POST_TYPES } from '../posts/post-types.js';
import { LISTED } from '../posts/visibility.js';
import { FEED_WINDOWS, type FeedQuery } from './dto/feed.query.js';
import type { FollowingSource } from './dto/following.query.js';

/** Selects a feed and its order, without the page (limit, cursor). */
export type FeedSelection = Pick<FeedQuery, 'sort' | 'window' | 'tag' | 'type'> & { authorId?: ObjectId };

type Order = Record<string, 1 | -1>;

/** A page as one index range: the filter with its start, the order, and the index for both. */
export type FeedPlan = { filter: Record<string, unknown>; sort: Order; hint: Order };

/** The scope for which a cursor of this feed is signed. */
export function scopeOf(selection: FeedSelection): string {
  const { sort, window, tag = '', type = '', authorId } = selection;
  // 'published' instead of 'latest' rejects cursors of the former order by id.
  return `feed|${sort === 'latest' ? 'published' : sort}|${sort === 'top' ? window : ''}|${tag}|${type}|${authorId?.toHexString() ?? ''}`;
}

/** Returns the cursor scope of a viewer, so that cursors of other viewers are rejected. */
export function followingScopeOf(viewerId: string, sources: readonly FollowingSource[] = []): string {
  const people = `feed|published|following|${viewerId}`;
  return sources.includes('tags') ? `${people}|${[...sources].sort().join()}` : people;
}

/** Returns the plan of the newest posts with one of these tags: a merge of six ranges for each tag. */
export function planOfTags(tags: string[], after: CursorPosition | null): FeedPlan {
  const filter = { ...LISTED, tags: { $in: tags }, type: { $in: POST_TYPES }, ...(after && olderThan(after)) };
  return { filter, sort: LATEST, hint: { tags: 1, type: 1, ...LATEST } };
}

/** Returns the path of the rank that sorts the feed; null for `latest`, which is sorted by time, and for lists. */
export function sortPathOf(sort: FeedQuery['sort'], slot: RankSlot): string | null {
  if (sort === 'latest' || isListSort(sort)) return null;
  return sort === 'hot' ? `rank.hot${slot}` : `rank.top${slot}`;
}

/** Whether the feed covers all posts in one index range, so that hardly any page is the last one. */
export function isOneLongRange({ sort, tag, type, authorId }: FeedSelection): boolean {
  return sort !== 'top' && tag === undefined && type === undefined && authorId === undefined;
}

/**
 * Returns the plan of a page. Leading index fields without a filter get `$in` with all their values, so that the server merges sorted
 * ranges (SORT_MERGE) without a sort. Every examined document is returned, except if `author` filters by `tag`, `type` or `window`.
 */
export function planOf(selection: FeedSelection, slot: RankSlot, after: CursorPosition | null): FeedPlan {
  const { sort, window, tag, type, authorId } = selection;
  const path = sortPathOf(sort, slot);
  const filter: Record<string, unknown> = { ...LISTED };
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
  if (after !== null)
    Object.assign(filter, path === null ? olderThan(after) : afterPosition(path, after.value, after.id));
  const order: Order = path === null ? LATEST : { [path]: -1, _id: -1 };
  return { filter, sort: order, hint: { ...hint, ...order } };
}

/** Returns the plan of reading posts of a list, in the order of their ids. */
export function listPlanOf({ tag, type, authorId }: FeedSelection, ids: readonly string[]): FeedPlan {
  const filter: Record<string, unknown> = {
    _id: { $in: ids.map((id) => ObjectId.createFromHexString(id)) },
    ...LISTED,
  };
  if (tag !== undefined) filter['tags'] = tag;
  if (type !== undefined) filter['type'] = type;
  if (authorId !== undefined) filter['authorId'] = authorId;
  return { filter, sort: { _id: 1 }, hint: { _id: 1 } };
}

const projections = new Map<string | null, Record<string, 1>>();

/** Returns the projection of feed reads. @param rankPath adds the rank that sorts the page */
export function feedProjection(rankPath: string | null): Record<string, 1> {
  let projection = projections.get(rankPath);
  if (projection === undefined) {
    projection = rankPath === null ? CARD_PROJECTION : { ...CARD_PROJECTION, [rankPath]: 1 };
    projections.set(rankPath, projection);
  }
  return projection;
}
