import fc from 'fast-check';
import type { FeedCandidate } from '../feed/feed-candidates.service.js';
import { decodeFeed, encodeFeed, rankCandidates, type Ranked, type Reader, REASONS } from './rank-candidates.js';

const NOW = new Date('2026-06-01T12:00:00Z');
const NOTHING: Reader = {
  ...{ authors: new Map(), tags: new Map(), followedAuthors: new Set(), followedTags: new Set() },
  ...{ likedByFollowed: new Set(), related: new Set() },
};

const post = (id: number, fields: Partial<FeedCandidate> = {}): FeedCandidate => ({
  ...{ id: String(id).padStart(24, '0'), authorId: `author ${id}`, tags: [], top: 10, createdAt: NOW },
  ...fields,
});
const idsOf = (posts: FeedCandidate[], reader: Partial<Reader>): number[] =>
  rankCandidates(posts, { ...NOTHING, ...reader }, NOW).map(({ id }) => Number(id));

describe('the order of the personal feed', () => {
  it('has at most two posts of an author in any 20, and no post twice', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 150 }), (authors) => {
        const posts = authors.map((author, id) => post(id, { authorId: String(author), top: id }));
        const ranked = idsOf(posts, {});
        expect(new Set(ranked).size).toBe(ranked.length);
        for (let from = 0; from < ranked.length; from++) {
          const run = ranked.slice(from, from + 20).map((id) => authors[id]!);
          for (const author of run) expect(run.filter((other) => other === author).length).toBeLessThanOrEqual(2);
        }
      }),
    );
  });

  it('begins with popular and new posts', () => {
    const old = new Date('2026-05-01T12:00:00Z');
    expect(idsOf([post(1, { createdAt: old }), post(2), post(3, { top: 1_000 })], {})).toEqual([3, 2, 1]);
  });

  it('moves what the reader follows or likes up, and what the reader wants less of down', () => {
    const posts = [1, 2, 3, 4, 5].map((id) => post(id, { tags: [`tag ${id}`] }));
    const reader = {
      authors: new Map([['author 5', -4]]),
      tags: new Map([['tag 4', 1]]),
      followedAuthors: new Set(['author 1']),
      followedTags: new Set(['tag 1', 'tag 2']),
    };
    expect(idsOf(posts, reader)).toEqual([1, 2, 4, 3, 5]);
  });
});

describe('a stored feed', () => {
  const ranked = fc.record<Ranked>({
    id: fc.stringMatching(/^[0-9a-f]{24}$/),
    reason: fc.constantFrom(...REASONS),
  });

  it('has the posts and reasons from any position', () => {
    fc.assert(
      fc.property(fc.array(ranked), fc.nat(40), fc.nat(40), (posts, from, count) => {
        expect(decodeFeed(encodeFeed(posts), from, count)).toEqual(posts.slice(from, from + count));
      }),
    );
  });
});
