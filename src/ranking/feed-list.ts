import type { ObjectId } from 'mongodb';
import type { ScoredPost } from '../posts/post-ranks.service.js';
import { scoreAgeDays, scoredStatsOf, topScore, withDecay } from '../posts/score.js';
import type { RankSlot } from './score-epoch.js';

/** Orders of the feed that are lists, because an index for each would slow down every vote. */
export const LIST_SORTS = ['rising', 'discussed'] as const;
export type ListSort = (typeof LIST_SORTS)[number];

export function isListSort(sort: string): sort is ListSort {
  return (LIST_SORTS as readonly string[]).includes(sort);
}

export function listIdOf(sort: ListSort, slot: RankSlot): string {
  return `${sort}|${slot}`;
}

export const MAX_LISTED = 1_000;

const HOUR_MS = 3_600_000;
const RISING_HOURS = 7 * 24;
const RISING_OFFSET_HOURS = 2;

/** Returns the value that orders the list, or null for a post that the list omits. */
const VALUES: Record<ListSort, (post: ListedPost, now: Date) => number | null> = {
  /** Engagement per hour since publication. A post without engagement has a score of 1. */
  rising: (post, now) => {
    const hours = Math.max(now.getTime() - post.createdAt.getTime(), 0) / HOUR_MS;
    const engagement = topScore(scoredStatsOf(post));
    return hours <= RISING_HOURS && engagement > 1 ? engagement / (hours + RISING_OFFSET_HOURS) : null;
  },
  /** Comments, with the decay of `hot`. */
  discussed: ({ stats: { commentsCount }, createdAt, contentEditedAt }, now) =>
    commentsCount > 0 ? withDecay(commentsCount, scoreAgeDays(createdAt, contentEditedAt, now)) : null,
};

/** What orders and selects a post. */
export type ListedPost = Omit<ScoredPost, 'rank'>;

type Entry = { id: ObjectId; value: number };

/** Collects the first posts of each list from a stream of all posts, in bounded memory. */
export class FeedListCollector {
  private readonly entries = new Map<ListSort, Entry[]>(LIST_SORTS.map((sort) => [sort, []]));

  constructor(private readonly now: Date) {}

  add(post: ListedPost): void {
    if (!post.isListed) return;
    for (const [sort, entries] of this.entries) {
      const value = VALUES[sort](post, this.now);
      if (value !== null && entries.push({ id: post._id, value }) === 2 * MAX_LISTED) trim(entries);
    }
  }

  /** Returns the ids of each list, first to last. Of equal posts, the newer id comes first. */
  lists(): [ListSort, ObjectId[]][] {
    return [...this.entries].map(([sort, entries]) => [sort, trim(entries).map(({ id }) => id)]);
  }
}

function trim(entries: Entry[]): Entry[] {
  entries.sort((a, b) => b.value - a.value || (a.id.toHexString() < b.id.toHexString() ? 1 : -1));
  entries.length = Math.min(entries.length, MAX_LISTED);
  return entries;
}
