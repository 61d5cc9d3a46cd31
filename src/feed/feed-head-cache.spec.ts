import { BSON, ObjectId } from 'mongodb';
import type { AppConfig } from '../config/app-config.js';
import type { ResponseCache } from '../platform/cache/response-cache.js';
import { serializeCards } from '../posts/card/card-json.js';
import { FeedHeadCache, HEAD_CARDS } from './feed-head-cache.js';
import type { FeedReader } from './feed-reader.js';
import type { FeedSelection } from './feed-plan.js';

const CARD_BYTES = 2_000;

/** Posts without end. */
function cards(count: number): ReturnType<typeof serializeCards> {
  const snapshot = { username: 'ada', fullName: 'Ada', profilePicture: null };
  const [stats, createdAt, authorId] = [{}, new Date(), new ObjectId()];
  const rows = Array.from({ length: count }, () =>
    BSON.serialize({
      _id: new ObjectId(),
      ...{ slug: 'a', type: 'poem', title: 'a', tags: [], contentPreview: 'x'.repeat(CARD_BYTES), readTime: 1 },
      ...{ thumbnailUrl: null, isPublic: true, isEdited: false, authorId, authorSnapshot: snapshot },
      ...{ stats, createdAt, updatedAt: createdAt },
    }),
  );
  let end = 0;
  const offsets = rows.map((row) => (end += row.length) - row.length);
  return serializeCards({ buffer: Buffer.concat(rows), offsets }, '');
}

function cacheOf(maxBytes: number) {
  let reserved = 0;
  const store = { reserve: (bytes: number) => (reserved = bytes) };
  const reader = { read: async (_plan: unknown, _path: unknown, count: number) => cards(count) };
  const heads = new FeedHeadCache(
    reader as unknown as FeedReader,
    { cache: { maxBytes, feedTtlMs: 60_000 } } as unknown as AppConfig,
    { store, onInvalidate: () => undefined } as unknown as ResponseCache,
  );
  const selection: FeedSelection = { sort: 'latest', window: 'all' };
  const page = (feed: string) => heads.page(feed, selection, 0, 'A', null, 20);
  return {
    page,
    reserved: () => reserved,
    /** Asks until the head is there. */
    build: async (feed: string) => {
      const { built } = heads.counts;
      for (let times = 0; times < 3; times++) page(feed);
      for (let turns = 0; heads.counts.built === built && turns < 1_000; turns++) await new Promise(setImmediate);
    },
  };
}

describe('FeedHeadCache', () => {
  it('answers a popular feed from memory, and leaves the bytes of its head out of the other cached responses', async () => {
    const heads = cacheOf(100_000_000);
    expect(heads.page('hot')).toBeNull();
    await heads.build('hot');
    expect(heads.page('hot')).toMatchObject({ from: 0, to: 20 });
    expect(heads.reserved()).toBeGreaterThan(HEAD_CARDS * CARD_BYTES);
    expect(heads.reserved()).toBeLessThan(HEAD_CARDS * CARD_BYTES * 1.5);
  });

  it('takes a quarter of the memory at most: the head that was not asked for longest goes first', async () => {
    const heads = cacheOf(8_000_000);
    for (const feed of ['1', '2', '3', '4', '5']) await heads.build(feed);
    expect(heads.reserved()).toBeGreaterThan(1_000_000);
    expect(heads.reserved()).toBeLessThanOrEqual(2_000_000);
    expect(heads.page('1')).toBeNull();
    expect(heads.page('5')).not.toBeNull();
  });
});
