import { ObjectId } from 'mongodb';
import { countTags } from '../../src/tags/count-tags.js';
import { useDatabase } from '../support/mongo.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse('2026-05-01T12:00:00Z');
const NEWCOMER_MS = 3 * DAY_MS;

describe('the trend of a tag', () => {
  const database = useDatabase();
  const accountOf = (daysAgo: number) => new ObjectId(new ObjectId().toHexString().replace(/^.{8}/, hexTime(daysAgo)));
  const authors = Array.from({ length: 5 }, () => accountOf(100));
  type Fields = {
    author: ObjectId;
    tag: string;
    hours?: number;
    likes?: number;
    unverified?: number;
    comments?: number;
  };

  const post = ({ author, tag, hours = 1, likes = 0, unverified = 0, comments = 0 }: Fields) => ({
    _id: new ObjectId(),
    isListed: true,
    tags: [tag],
    authorId: author,
    createdAt: new Date(NOW - hours * HOUR_MS),
    stats: { likesCount: likes + unverified, commentsCount: comments },
    visitors: { likes: unverified },
  });
  /** Posts of the first authors. */
  const by = (count: number, fields: Omit<Fields, 'author'>) =>
    authors.slice(0, count).map((author) => post({ author, ...fields }));
  const trendsOf = async (posts: object[], now = NOW): Promise<Record<string, number>> => {
    await database.db.collection('posts').deleteMany({});
    await database.db.collection('posts').insertMany(posts);
    await countTags(database.db, { now, newcomerMs: NEWCOMER_MS });
    const rows = await database.db
      .collection('tags')
      .find({ trend: { $gt: 0 } })
      .toArray();
    return Object.fromEntries(rows.map(({ _id, trend }) => [_id, trend]));
  };

  it('compares 48 hours with the mean of the 28 days before', async () => {
    const earlier = Array.from({ length: 14 }, (_, slot) =>
      by(3, { tag: 'steady', hours: 48 * (slot + 1) + 2 }),
    ).flat();
    const recent = [...by(5, { tag: 'new', likes: 1 }), ...by(5, { tag: 'steady', comments: 1 })];
    // (5 authors x 2 + 3) / (0 + 3) and / (3 + 3)
    expect(await trendsOf([...earlier, ...recent])).toEqual({ new: 4.33, steady: 2.17 });
  });

  it('is 0 for a tag that is not used more, and again when its rise ends', async () => {
    const earlier = Array.from({ length: 14 }, (_, slot) =>
      by(5, { tag: 'steady', hours: 48 * (slot + 1) + 2 }),
    ).flat();
    expect(await trendsOf([...earlier, ...by(5, { tag: 'steady' })])).toEqual({});
    const posts = by(5, { tag: 'brief', likes: 3 });
    expect(Object.keys(await trendsOf(posts))).toEqual(['brief']);
    expect(await trendsOf(posts, NOW + 2 * DAY_MS)).toEqual({});
  });

  it('is not moved by one author with 1,000 posts', async () => {
    const [author] = authors as [ObjectId];
    const flood = Array.from({ length: 1_000 }, () => post({ author, tag: 'flood', likes: 9, comments: 9 }));
    expect(await trendsOf(flood)).toEqual({});

    // With others, these 1,000 posts count as ten.
    const one = [post({ author, tag: 'flood', likes: 9 }), ...by(5, { tag: 'flood' }).slice(1)];
    expect(await trendsOf([...flood, ...one.slice(1)])).toEqual(await trendsOf(one));
  });

  it('needs three authors and five accounts, neither new nor unverified', async () => {
    const newcomers = Array.from({ length: 5 }, () => accountOf(1));
    const posts = [
      ...by(2, { tag: 'two-authors', likes: 9 }),
      ...by(3, { tag: 'three-accounts' }),
      ...by(3, { tag: 'three-liked', likes: 4 }),
      ...by(3, { tag: 'three-unverified', likes: 1, unverified: 9 }),
      ...newcomers.map((author) => post({ author, tag: 'newcomers', likes: 9 })),
    ];
    expect(Object.keys(await trendsOf(posts))).toEqual(['three-liked']);
  });
});

/** The first bytes of an id that was created these days ago. */
function hexTime(daysAgo: number): string {
  return Math.floor((NOW - daysAgo * DAY_MS) / 1_000)
    .toString(16)
    .padStart(8, '0');
}
