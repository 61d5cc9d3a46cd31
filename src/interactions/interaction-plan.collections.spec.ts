import { ObjectId } from 'mongodb';
import { BlockedPairs, NO_BLOCKED_PAIRS } from '../blocks/blocked-pairs.js';
import { CodedError } from '../common/errors.js';
import { type CurrentState, type InteractionItem, planInteractions } from './interaction-plan.js';
import type { Interaction } from './interaction.schema.js';

const idOf = (n: number, filler: string) => new ObjectId(n.toString(16).padStart(24, filler));
const users = [1, 2, 3].map((n) => idOf(n, 'a'));
const author = users[0]!;
const [collected, secret, missing] = [idOf(1, 'b'), idOf(2, 'b'), idOf(3, 'b')];
const now = new Date('2026-01-01T00:00:00Z');

function collection(isPublic: boolean) {
  const stats = { likesCount: 100, dislikesCount: 50, followersCount: 10 };
  return { ownerId: author, isPublic, deletedAt: null, stats };
}

function stateOf(rows: Interaction[]): CurrentState {
  return {
    rows: new Map(rows.map((row) => [row._id.toString('hex'), row])),
    posts: new Map(),
    comments: new Map(),
    blocked: NO_BLOCKED_PAIRS,
    collections: new Map([
      [collected.toHexString(), collection(true)],
      [secret.toHexString(), collection(false)],
    ]),
  };
}

const follow = (userId: ObjectId, targetId: ObjectId, isFollowing: boolean): InteractionItem => ({
  userId,
  targetId,
  kind: 'follow',
  targetModel: 'Collection',
  isFollowing,
});

describe('planInteractions, for collections', () => {
  it('counts votes and followers of a collection separately, each once', () => {
    const [userId, targetModel] = [users[1]!, 'Collection' as const];
    const voted: InteractionItem = { userId, targetId: collected, targetModel, kind: 'vote', value: 'like' };
    const items = [
      follow(users[1]!, collected, true),
      voted,
      follow(users[1]!, collected, true),
      follow(users[2]!, collected, true),
    ];
    const plan = planInteractions(items, stateOf([]), now);
    expect(plan.results).toEqual([
      { kind: 'follow', isFollowing: true, followersCount: 11 },
      { kind: 'vote', value: 'like', stats: { likesCount: 101, dislikesCount: 50 } },
      { kind: 'follow', isFollowing: true, followersCount: 11 },
      { kind: 'follow', isFollowing: true, followersCount: 12 },
    ]);
    expect([...plan.collectionStats]).toEqual([
      [collected.toHexString(), { likesCount: 1, dislikesCount: 0, followersCount: 2 }],
    ]);
    expect(plan.inserts.map(({ kind, targetModel, value }) => [kind, targetModel, value])).toEqual([
      ['follow', 'Collection', null],
      ['vote', 'Collection', 'like'],
      ['follow', 'Collection', null],
    ]);
    const undone = planInteractions([follow(users[1]!, collected, false)], stateOf(plan.inserts), now);
    expect(undone.deletes).toEqual([plan.inserts[0]!._id]);
    expect([...undone.collectionStats.values()]).toEqual([{ likesCount: 0, dislikesCount: 0, followersCount: -1 }]);
  });

  it('refuses votes and follows of an account that the owner blocks', () => {
    const state = { ...stateOf([]), blocked: new BlockedPairs([[author, users[1]!]]) };
    const liked = { userId: users[1]!, targetId: collected, targetModel: 'Collection', kind: 'vote' } as const;

    const { results } = planInteractions(
      [follow(users[1]!, collected, true), { ...liked, value: 'like' }, follow(users[1]!, collected, false)],
      state,
      now,
    );

    expect(results.map((result) => (result instanceof CodedError ? result.code : 'ok'))).toEqual([
      'blocked',
      'blocked',
      'ok',
    ]);
  });

  it('lets only the owner follow a private collection', () => {
    const items = [follow(users[1]!, secret, true), follow(author, secret, true), follow(users[1]!, missing, true)];
    const { results } = planInteractions(items, stateOf([]), now);
    expect(results.map((result) => (result instanceof CodedError ? result.code : 'ok'))).toEqual([
      'collection_not_found',
      'ok',
      'collection_not_found',
    ]);
  });
});
