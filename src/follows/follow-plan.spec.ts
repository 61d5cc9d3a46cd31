import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { BlockedPairs, NO_BLOCKED_PAIRS } from '../blocks/blocked-pairs.js';
import { pairId } from '../common/pair-id.js';
import { CodedError } from '../common/errors.js';
import { type FollowItem, type FollowResult, type CurrentState, MAX_FOLLOWING, planFollows } from './follow-plan.js';

const users = Array.from({ length: 4 }, (_, n) => new ObjectId(n.toString(16).padStart(24, 'a')));
const [ann, ben] = users as [ObjectId, ObjectId];
const now = new Date('2026-01-01T00:00:00Z');

function stateOf(pairs: (readonly [ObjectId, ObjectId])[]): CurrentState {
  return {
    blocked: NO_BLOCKED_PAIRS,
    rows: new Set(pairs.map(([follower, following]) => pairId(follower, following).toString('hex'))),
    users: new Map(
      users.map((id, n) => [
        id.toHexString(),
        {
          username: `user${n}`,
          stats: {
            followersCount: pairs.filter(([, following]) => following.equals(id)).length,
            followingCount: pairs.filter(([follower]) => follower.equals(id)).length,
          },
        },
      ]),
    ),
  };
}

describe('planFollows', () => {
  it('moves the counters of both sides by one for any number of equal requests', () => {
    const item = { followerId: ann, followingId: ben, isFollowing: true };
    const plan = planFollows([item, item, item], stateOf([]), now);
    expect(plan.results).toEqual(Array(3).fill({ username: 'user1', isFollowing: true, followersCount: 1 }));
    expect(plan.inserts).toHaveLength(1);
    expect(plan.userStats).toEqual(
      new Map([
        [ann.toHexString(), { followersCount: 0, followingCount: 1 }],
        [ben.toHexString(), { followersCount: 1, followingCount: 0 }],
      ]),
    );
  });

  it('writes nothing when follow and unfollow cancel out', () => {
    const item = { followerId: ann, followingId: ben };
    const plan = planFollows(
      [
        { ...item, isFollowing: true },
        { ...item, isFollowing: false },
      ],
      stateOf([]),
      now,
    );
    expect([plan.inserts, plan.deletes, [...plan.userStats]]).toEqual([[], [], []]);
  });

  it('changes the state with every toggle of a batch', () => {
    const item = { followerId: ann, followingId: ben, isFollowing: true, isToggle: true };

    const plan = planFollows([item, item, item], stateOf([[ann, ben]]), now);

    expect(plan.results.map((result) => (result as FollowResult).isFollowing)).toEqual([false, true, false]);
    expect([plan.inserts.length, plan.deletes.length]).toEqual([0, 1]);
  });

  it('refuses a follow in either direction of a block, and lets a follow end', () => {
    const state = { ...stateOf([[ben, ann]]), blocked: new BlockedPairs([[ann, ben]]) };
    const item = (followerId: ObjectId, followingId: ObjectId, isFollowing: boolean) => {
      return { followerId, followingId, isFollowing };
    };

    const items = [item(ann, ben, true), item(ben, ann, true), item(ben, ann, false), item(ann, users[2]!, true)];
    const plan = planFollows([...items, { ...items[0]!, isToggle: true }], state, now);

    const outcomes = plan.results.map((result) => (result instanceof CodedError ? result.code : 'ok'));
    expect(outcomes).toEqual(['blocked', 'blocked', 'ok', 'ok', 'blocked']);
    expect([plan.inserts.length, plan.deletes.length]).toEqual([1, 1]);
  });

  it('refuses only the follows of and by deleted accounts', () => {
    const gone = new ObjectId();
    const plan = planFollows(
      [
        { followerId: ann, followingId: gone, isFollowing: true },
        { followerId: gone, followingId: ann, isFollowing: true },
        { followerId: ann, followingId: ben, isFollowing: true },
      ],
      stateOf([]),
      now,
    );
    expect(plan.results.map((result) => (result instanceof CodedError ? result.code : 'ok'))).toEqual([
      'user_not_found',
      'invalid_token',
      'ok',
    ]);
    expect(plan.inserts).toHaveLength(1);
  });

  it('lets the followed account remove a follower, and returns the name of the follower and its own count', () => {
    const item = { followerId: ann, followingId: ben, isFollowing: false, isByFollowed: true };
    const plan = planFollows([item, item], stateOf([[ann, ben]]), now);
    expect(plan.results).toEqual(Array(2).fill({ username: 'user0', isFollowing: false, followersCount: 0 }));
    expect(plan.deletes).toHaveLength(1);
    const gone = new ObjectId();
    const [other, own] = planFollows(
      [
        { ...item, followerId: gone },
        { ...item, followingId: gone },
      ],
      stateOf([]),
      now,
    ).results;
    expect([other, own]).toMatchObject([{ code: 'user_not_found' }, { code: 'invalid_token' }]);
  });

  it('refuses more than 5,000 follows of an account, in any order of a batch', () => {
    const state = stateOf([[ann, users[2]!]]);
    state.users.get(ann.toHexString())!.stats.followingCount = MAX_FOLLOWING;
    const item = (followingId: ObjectId, isFollowing: boolean) => ({ followerId: ann, followingId, isFollowing });
    const plan = planFollows(
      [item(ben, true), item(users[2]!, true), item(users[2]!, false), item(ben, true), item(users[3]!, true)],
      state,
      now,
    );
    const outcomes = plan.results.map((result) =>
      'code' in result ? result.code : (result as FollowResult).isFollowing,
    );
    expect(outcomes).toEqual(['too_many_follows', true, false, true, 'too_many_follows']);
    expect([plan.inserts.length, plan.deletes.length]).toEqual([1, 1]);
    expect(plan.userStats.get(ann.toHexString())).toBeUndefined();
  });

  it('leaves exactly the rows and counters that one change after the other would have left', () => {
    const pairs = users.flatMap((a) => users.filter((b) => b !== a).map((b) => [a, b] as const));
    const anyItem = fc
      .tuple(fc.constantFrom(...pairs), fc.boolean(), fc.boolean())
      .map(([[followerId, followingId], isFollowing, isToggle]): FollowItem => {
        return { followerId, followingId, isFollowing, isToggle };
      });
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 40 }), fc.subarray(pairs), (items, held) => {
        const state = stateOf(held);
        const model = new Set(state.rows);
        const followersOf = (id: ObjectId, rows: Set<string>) =>
          [...rows].filter((key) => key.endsWith(id.toHexString())).length;
        const followingOf = (id: ObjectId, rows: Set<string>) =>
          [...rows].filter((key) => key.startsWith(id.toHexString())).length;

        const plan = planFollows(items, state, now);

        items.forEach(({ followerId, followingId, isToggle, ...item }, index) => {
          const key = pairId(followerId, followingId).toString('hex');
          const isFollowing = isToggle ? !model.has(key) : item.isFollowing;
          if (isFollowing) model.add(key);
          else model.delete(key);
          expect(plan.results[index]).toMatchObject({ isFollowing, followersCount: followersOf(followingId, model) });
        });
        const after = new Set(state.rows);
        for (const _id of plan.deletes) expect(after.delete(_id.toString('hex'))).toBe(true);
        for (const { _id } of plan.inserts) {
          expect(after.has(_id.toString('hex'))).toBe(false);
          after.add(_id.toString('hex'));
        }
        expect([...after].sort()).toEqual([...model].sort());
        const changed = plan.changes.map(({ followerId, followingId, isFollowing, followingCount }) => {
          const row = pairId(followerId, followingId).toString('hex');
          expect(followingCount).toBe(followingOf(followerId, state.rows));
          expect([isFollowing, state.rows.has(row)]).toEqual([model.has(row), !model.has(row)]);
          return row;
        });
        const differing = [...model, ...state.rows].filter((row) => model.has(row) !== state.rows.has(row));
        expect(changed.sort()).toEqual([...new Set(differing)].sort());
        for (const id of users) {
          const stats = plan.userStats.get(id.toHexString()) ?? { followersCount: 0, followingCount: 0 };
          expect(stats.followersCount).toBe(followersOf(id, model) - followersOf(id, state.rows));
          expect(stats.followingCount).toBe(followingOf(id, model) - followingOf(id, state.rows));
        }
      }),
      { numRuns: 300 },
    );
  });
});
