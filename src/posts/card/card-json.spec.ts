import fc from 'fast-check';
import { BSON, Double, ObjectId } from 'mongodb';
import { FILES_PATH, setFilesUrl } from '../../common/own-files.js';
import type { ResponsiveImage } from '../../media/responsive-image.js';
import { type PostCardRow, toPostCard } from './post-card.js';
import { POST_TYPES } from '../post-types.js';
import { SerializedCards, serializeCards } from './card-json.js';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"quoted" \\ back', ',"author":{"id":"', 'line\nbreak\u2028', '\u0000\u001f', '日本語 🎉'),
);
const counter = fc.nat();
const key = fc.stringMatching(/^[0-9a-f]{24}-[0-9a-f]{16}\.(jpg|png|webp)$/);
const address = fc.oneof(
  fc.webUrl(),
  key.map((name) => `/v1/media/files/${name}`),
);
const picture: fc.Arbitrary<ResponsiveImage> = fc.record({
  key,
  width: fc.integer({ min: 1, max: 16_383 }),
  height: fc.integer({ min: 1, max: 16_383 }),
  widths: fc.subarray([320, 640, 1_280, 1_920]),
  placeholder: fc.base64String().map((bytes) => `data:image/webp;base64,${bytes}`),
});

const row: fc.Arbitrary<PostCardRow & { rank: { hotA: number } }> = fc.record({
  _id: fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  title: text,
  subtitle: fc.option(text),
  slug: fc.stringMatching(/^[a-z0-9-]{0,20}$/),
  type: fc.constantFrom(...POST_TYPES),
  tags: fc.array(text, { maxLength: 5 }),
  contentPreview: text,
  readTime: fc.integer({ min: 1, max: 1_000 }),
  thumbnailUrl: fc.option(address),
  thumbnail: fc.option(picture),
  isPublic: fc.boolean(),
  isEdited: fc.boolean(),
  authorId: fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  authorSnapshot: fc.record({ username: text, fullName: text, profilePicture: fc.option(address) }),
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

/** Concatenates documents in one buffer, as in a reply of the server. */
function together(rows: object[]): { buffer: Buffer; offsets: number[] } {
  const documents = rows.map((each) => BSON.serialize(each));
  let end = 0;
  const offsets = documents.map((document) => (end += document.length) - document.length);
  return { buffer: Buffer.concat(documents), offsets };
}

describe.each([undefined, 'https://api.example/v1/media/files'])('serializeCards with files at %s', (filesUrl) => {
  beforeAll(() => setFilesUrl(filesUrl ?? FILES_PATH));

  it('writes the same bytes as toPostCard and JSON.stringify', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 4 }), (given) => {
        const run = serializeCards(together(given), 'hotA');
        expect(`[${run.json(0, run.length).toString()}]`).toBe(JSON.stringify(given.map(toPostCard)));
        expect(given.map((_, index) => run.id(index))).toEqual(given.map(({ _id }) => _id.toHexString()));
        expect(given.map((_, index) => run.value(index))).toEqual(given.map(({ rank }) => rank.hotA));
        expect(run.entries()).toEqual(
          given.map((one) => ({
            ...{ value: one.rank.hotA, id: one._id.toHexString(), authorId: one.authorId.toHexString() },
            json: JSON.stringify(toPostCard(one)),
          })),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('returns any slice of the rows as the same text', () => {
    fc.assert(
      fc.property(fc.array(fc.array(row, { maxLength: 3 }), { maxLength: 4 }), fc.nat(), fc.nat(), (parts, a, b) => {
        const whole = parts.flat();
        const run = SerializedCards.concat(parts.map((part) => serializeCards(together(part), 'hotA')));
        const [from, to] = [a % (whole.length + 1), b % (whole.length + 1)].sort((x, y) => x - y) as [number, number];
        expect(run.length).toBe(whole.length);
        expect(`[${run.json(from, to).toString()}]`).toBe(JSON.stringify(whole.slice(from, to).map(toPostCard)));
        expect(whole.map((_, index) => run.id(index))).toEqual(whole.map(({ _id }) => _id.toHexString()));
      }),
      { numRuns: 200 },
    );
  });

  it('writes documents with reordered fields, and numbers of other types, in the same way', () => {
    fc.assert(
      fc.property(row, (given) => {
        const turned = Object.fromEntries(Object.entries(given).reverse());
        const doubled = { ...turned, readTime: new Double(given.readTime), isPublic: given.isPublic };
        expect(
          `${serializeCards(together([doubled]), 'hotA')
            .json(0, 1)
            .toString()}`,
        ).toBe(JSON.stringify(toPostCard(given)));
      }),
      { numRuns: 100 },
    );
  });
});
