import fc from 'fast-check';
import { BSON, ObjectId } from 'mongodb';
import { ListFilter, NO_FILTER } from '../blocks/list-filter.js';
import { PhraseMatcher } from '../blocks/phrase-matcher.js';
import { commentsJson } from './comment-json.js';
import { toRemoval } from '../moderation/removal.dto.js';
import type { Role, Viewer } from '../platform/access/viewer.js';
import { type CommentViewRow, toComment, toListedComment } from './comment-view.js';

const id = fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes));
const date = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
const row: fc.Arbitrary<CommentViewRow> = fc.record({
  _id: id,
  postId: id,
  parentId: fc.option(id),
  authorId: id,
  authorSnapshot: fc.record({
    username: fc.string(),
    fullName: fc.string(),
    profilePicture: fc.option(fc.oneof(fc.webUrl(), fc.constant('/v1/media/files/a.jpg'))),
  }),
  content: fc.string({ unit: 'binary' }),
  stats: fc.record({ likesCount: fc.nat(), dislikesCount: fc.nat(), repliesCount: fc.nat() }),
  isEdited: fc.boolean(),
  createdAt: date,
  updatedAt: date,
  deletedAt: fc.option(date),
  isLimited: fc.option(fc.constant(true), { nil: undefined }),
});

const viewerOf = (id: string, role: Role): Viewer => ({ _id: new ObjectId(id), id, role });
const AUTHOR = viewerOf('6650c3a2f1d2b3c4d5e6f708', 'user');
const removed = fc
  .record({
    one: row,
    authorId: fc.oneof(id, fc.constant(new ObjectId(AUTHOR.id))),
    removal: fc.record({
      actionId: id,
      at: date,
      reason: fc.string(),
      content: fc.string(),
      mentions: fc.constant<ObjectId[]>([]),
    }),
  })
  .map(({ one, ...rest }): CommentViewRow => ({ ...one, ...rest, content: '', deletedAt: rest.removal.at }));

function together(rows: CommentViewRow[]): { buffer: Buffer; offsets: number[] } {
  const documents = rows.map((each) => BSON.serialize(each));
  let end = 0;
  const offsets = documents.map((document) => (end += document.length) - document.length);
  return { buffer: Buffer.concat(documents), offsets };
}

describe('commentsJson', () => {
  it('writes the same bytes as toListedComment and JSON.stringify, also for tombstones', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 1, max: 6 }), (rows, limit) => {
        const { json, lastId, lastLikes } = commentsJson(together(rows), limit);
        const shown = rows.slice(0, limit);
        expect(`[${json.toString()}]`).toBe(JSON.stringify(shown.map((one) => toListedComment(one))));
        expect([lastId, lastLikes]).toEqual([
          shown.at(-1)?._id.toHexString() ?? '',
          shown.at(-1)?.stats.likesCount ?? 0,
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it('writes removed comments with their text for their author and moderators, and names their authors', () => {
    const viewers = fc.constantFrom<Viewer | null>(null, AUTHOR, viewerOf('1'.repeat(24), 'moderator'));
    fc.assert(
      fc.property(fc.array(fc.oneof(row, removed), { maxLength: 5 }), viewers, (rows, viewer) => {
        const { json, removedAuthors } = commentsJson(together(rows), rows.length, NO_FILTER, viewer);
        const hasText = (one: CommentViewRow) =>
          viewer?.role === 'moderator' || (viewer !== null && String(one.authorId) === viewer.id);
        const expected = rows.map((one) =>
          one.removal && hasText(one)
            ? {
                ...toComment({ ...one, content: one.removal.content, deletedAt: null }),
                removal: toRemoval(one.removal),
              }
            : toListedComment(one),
        );
        expect(JSON.parse(`[${json.toString()}]`)).toEqual(JSON.parse(JSON.stringify(expected)));
        expect(removedAuthors).toEqual(rows.flatMap(({ removal, authorId }) => (removal ? [String(authorId)] : [])));
      }),
    );
  });

  it('writes comments of hidden accounts without author and text, and tombstones unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(row, fc.boolean()), { minLength: 1, maxLength: 5 }), (given) => {
        const rows = given.map(([one]) => one);
        const accounts = new Map(
          given.flatMap(([{ authorId }, isBlocked]) => (isBlocked ? [[String(authorId), Infinity] as const] : [])),
        );
        const { json } = commentsJson(together(rows), rows.length, new ListFilter('', accounts, new Set()));
        const expected = rows.map((one) => {
          const isHidden = accounts.has(String(one.authorId)) && one.deletedAt === null;
          return {
            ...toListedComment(one),
            ...(isHidden ? { author: null, content: null, isHiddenForYou: true } : {}),
          };
        });
        expect(JSON.parse(`[${json.toString()}]`)).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });

  it('hides or marks comments whose text has a phrase, except tombstones', () => {
    const phraseOf = (action: 'hide' | 'warn') => {
      return { id: action, phrase: action, action, isWholeWord: true, endsAt: Infinity };
    };
    const comments = new PhraseMatcher([phraseOf('hide'), phraseOf('warn')]);
    const filter = new ListFilter('', new Map(), new Set(), { posts: new PhraseMatcher([]), comments });
    const texts = fc.constantFrom('Plain.', 'Hide "é".', 'Warn “é”.');
    fc.assert(
      fc.property(fc.array(fc.tuple(row, texts), { minLength: 1, maxLength: 5 }), (given) => {
        const rows = given.map(([one, content]) => ({ ...one, content }));
        const { json } = commentsJson(together(rows), rows.length, filter);
        const expected = rows.map((one) => {
          const found = one.deletedAt === null && !one.isLimited ? comments.match(one.content) : [];
          if (found === 'hidden') return { ...toListedComment(one), author: null, content: null, isHiddenForYou: true };
          return { ...toListedComment(one), ...(found.length > 0 ? { filtered: found } : {}) };
        });
        expect(`[${json.toString()}]`).toBe(JSON.stringify(expected));
      }),
    );
  });
});
