import { ObjectId } from 'mongodb';
import { BlockedPairs, NO_BLOCKED_PAIRS } from '../blocks/blocked-pairs.js';
import { CodedError } from '../common/errors.js';
import { type CommentItem, type CurrentState, planComments } from './comment-plan.js';

const ids = Array.from({ length: 13 }, () => new ObjectId());
const [author, stranger, listed, draft, deleted, parent, deep, tombstone, elsewhere, ended, locked] =
  ids as ObjectId[] & {
    length: 13;
  };
const answerer = new ObjectId();
const now = new Date('2026-01-01T00:00:00.250Z');
const snapshot = { username: 'ada_lovelace', fullName: 'Ada Lovelace', profilePicture: null };

function parentOf(id: ObjectId, postId: ObjectId, depth: number, deletedAt: Date | null = null) {
  return {
    _id: id,
    postId,
    authorId: answerer,
    ancestors: Array.from({ length: depth }, () => new ObjectId()),
    deletedAt,
    isVisible: true,
  };
}

const state: CurrentState = {
  posts: new Map([
    [listed!.toHexString(), { authorId: author!, isListed: true, deletedAt: null, isLocked: false }],
    [draft!.toHexString(), { authorId: author!, isListed: false, deletedAt: null, isLocked: false }],
    [locked!.toHexString(), { authorId: author!, isListed: true, deletedAt: null, isLocked: true }],
    [deleted!.toHexString(), { authorId: author!, isListed: false, deletedAt: now, isLocked: false }],
  ]),
  parents: new Map([
    [parent!.toHexString(), parentOf(parent!, listed!, 29)],
    [deep!.toHexString(), parentOf(deep!, listed!, 30)],
    [tombstone!.toHexString(), parentOf(tombstone!, listed!, 0, now)],
    [elsewhere!.toHexString(), parentOf(elsewhere!, draft!, 0)],
  ]),
  authors: new Map([
    [author!.toHexString(), { snapshot, isLimited: false }],
    [stranger!.toHexString(), { snapshot, isLimited: true }],
  ]),
  blocked: NO_BLOCKED_PAIRS,
};

const item = (postId: ObjectId, parentId: ObjectId | null = null, authorId: ObjectId = stranger!): CommentItem => ({
  authorId,
  postId,
  parentId,
  mentions: [],
  content: 'Well said.',
});
const codes = (items: CommentItem[]) =>
  planComments(items, state, now).results.map((result) => (result instanceof CodedError ? result.code : 'ok'));

describe('planComments', () => {
  it('refuses comments on a locked post, also of its author, and hides the lock from viewers who may not read the post', () => {
    expect(codes([item(locked!), item(locked!, null, author), item(deleted!)])).toEqual([
      ...['post_locked', 'post_locked', 'post_not_found'],
    ]);
  });

  it('refuses each item for its own reason and accepts the others', () => {
    const items = [
      item(listed!),
      item(draft!),
      item(draft!, null, author),
      item(deleted!),
      item(new ObjectId()),
      item(listed!, parent),
      item(listed!, deep),
      item(listed!, tombstone),
      item(listed!, elsewhere),
      item(listed!, new ObjectId()),
      item(listed!, null, ended),
    ];
    expect(codes(items)).toEqual([
      'ok',
      'post_not_found',
      'ok',
      'post_not_found',
      'post_not_found',
      'ok',
      'comment_too_deep',
      'comment_not_found',
      'parent_mismatch',
      'comment_not_found',
      'invalid_token',
    ]);
  });

  it('refuses comments on a post and replies to a comment of a blocked pair, in either order', () => {
    const codesWith = (one: ObjectId, other: ObjectId) =>
      planComments(
        [item(listed!), item(listed!, parent), item(listed!, null, author)],
        { ...state, blocked: new BlockedPairs([[one, other]]) },
        now,
      ).results.map((result) => (result instanceof CodedError ? result.code : 'ok'));

    expect(codesWith(author!, stranger!)).toEqual(['blocked', 'blocked', 'ok']);
    expect(codesWith(stranger!, author!)).toEqual(['blocked', 'blocked', 'ok']);
    expect(codesWith(answerer, stranger!)).toEqual(['ok', 'blocked', 'ok']);
    expect(codesWith(answerer, author!)).toEqual(['ok', 'ok', 'ok']);
  });

  it('counts a reply once, on its parent and on the post', () => {
    const plan = planComments([item(listed!), item(listed!, parent), item(listed!, parent)], state, now);
    expect([...plan.postStats]).toEqual([[listed!.toHexString(), { commentsCount: 3 }]]);
    expect([...plan.replies]).toEqual([[parent!.toHexString(), 2]]);
    expect(plan.inserts).toHaveLength(3);
    expect(plan.inserts[1]!.ancestors).toHaveLength(30);
    expect(plan.inserts[1]!.ancestors[29]).toEqual(parent);
  });

  it('creates unique ids with the second of their creation', () => {
    const { inserts } = planComments([item(listed!), item(listed!)], state, now);
    expect(inserts[0]!._id.getTimestamp()).toEqual(new Date('2026-01-01T00:00:00Z'));
    expect(inserts[0]!._id.toHexString() < inserts[1]!._id.toHexString()).toBe(true);
    expect(inserts[0]!.createdAt).toEqual(now);
  });
});
