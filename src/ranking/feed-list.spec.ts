import { ObjectId } from 'mongodb';
import type { ScoredPost } from '../posts/post-ranks.service.js';
import { FeedListCollector, MAX_LISTED } from './feed-list.js';

const NOW = new Date('2026-01-15T12:00:00Z');
const HOUR_MS = 3_600_000;

function postOf(hours: number, likesCount: number, commentsCount: number, isListed = true): ScoredPost {
  const createdAt = new Date(NOW.getTime() - hours * HOUR_MS);
  const stats = { viewsCount: 0, readsCount: 0, likesCount, dislikesCount: 0, sharesCount: 0, commentsCount };
  const visitors = { reads: 0, shares: 0, likes: 0, dislikes: 0 };
  return { _id: new ObjectId(), stats, visitors, isListed, createdAt, contentEditedAt: createdAt } as ScoredPost;
}

function listsOf(posts: ScoredPost[]) {
  const collector = new FeedListCollector(NOW);
  for (const post of posts) collector.add(post);
  return Object.fromEntries(collector.lists().map(([sort, ids]) => [sort, ids.map(String)]));
}

describe('the lists of the feed', () => {
  it('have the first posts of a stream of any order, newer ids first among equals', () => {
    const posts = Array.from({ length: 5 * MAX_LISTED }, (_, index) =>
      postOf(1, 1 + ((index * 7_919) % 997), index % 13),
    );
    const idsBy = (value: (post: ScoredPost) => number) =>
      posts
        .filter((post) => value(post) > 0)
        .sort((a, b) => value(b) - value(a) || (String(a._id) < String(b._id) ? 1 : -1))
        .slice(0, MAX_LISTED)
        .map(({ _id }) => String(_id));

    expect(listsOf(posts)).toEqual({
      rising: idsBy(({ stats }) => stats.likesCount),
      discussed: idsBy(({ stats }) => stats.commentsCount),
    });
  });

  it('prefer a new post with the same engagement or comments', () => {
    const [old, fresh] = [postOf(60, 9, 9), postOf(2, 9, 9)];
    const ids = [String(fresh._id), String(old._id)];
    expect(listsOf([old, fresh])).toEqual({ rising: ids, discussed: ids });
  });

  it('omit hidden posts, posts without engagement or comments, and from rising those older than a week', () => {
    const lists = listsOf([postOf(1, 9, 9, false), postOf(1, 0, 0), postOf(200, 9, 0)]);
    expect(lists).toEqual({ rising: [], discussed: [] });
  });
});
