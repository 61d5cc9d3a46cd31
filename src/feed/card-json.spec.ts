import fc from 'fast-check';
import { BSON, ObjectId } from 'mongodb';
import { CARD_PROJECTION, type PostCardRow, toPostCard } from '../posts/post-card.js';
import { POST_TYPES } from '../posts/post-types.js';
import { cardFragment } from './card-json.js';
import { feedProjection } from './feed-card.schema.js';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"quoted" \\ back', 'line\nbreak\u2028', '\u0000\u001f', '日本語 🎉'),
);
const counter = fc.nat();
const row: fc.Arbitrary<PostCardRow & { rank: { hotA: number } }> = fc.record({
  _id: fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  title: text,
  slug: fc.stringMatching(/^[a-z0-9-]{0,20}$/),
  type: fc.constantFrom(...POST_TYPES),
  tags: fc.array(text, { maxLength: 5 }),
  contentPreview: text,
  readTime: fc.integer({ min: 1, max: 1_000 }),
  thumbnailUrl: fc.option(fc.webUrl()),
  isPublic: fc.boolean(),
  isPremium: fc.boolean(),
  isEdited: fc.boolean(),
  authorId: fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  authorSnapshot: fc.record({ username: text, fullName: text, profilePicture: fc.option(fc.webUrl()) }),
  stats: fc.record({
    viewsCount: counter,
    readsCount: counter,
    likesCount: counter,
    dislikesCount: counter,
    sharesCount: counter,
    commentsCount: counter,
  }),
  rank: fc.record({ hotA: fc.double({ noNaN: true }) }),
  createdAt: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
  updatedAt: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
});

describe('cardFragment', () => {
  it('writes what toPostCard and JSON.stringify write, to the byte', () => {
    fc.assert(
      fc.property(row, (given) => {
        const fragment = cardFragment(BSON.serialize(given), 'hotA');
        expect(fragment.json).toBe(JSON.stringify(toPostCard(given)));
        expect(fragment.id).toBe(given._id.toHexString());
        expect(fragment.value).toBe(given.rank.hotA);
      }),
      { numRuns: 300 },
    );
  });

  it('reads the fields of a card and no others', () => {
    const { _id, ...projection } = feedProjection(null);
    expect(_id).toBe(1);
    expect(projection).toEqual(CARD_PROJECTION);
  });
});
