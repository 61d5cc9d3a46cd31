import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { BlockedPairs, NO_BLOCKED_PAIRS } from '../blocks/blocked-pairs.js';
import { CodedError } from '../common/errors.js';
import { interactionId } from './interaction-id.js';
import {
  type CurrentState,
  type InteractionItem,
  type InteractionResult,
  planInteractions,
} from './interaction-plan.js';
import type { Interaction } from './interaction.schema.js';
import type { VoteValue } from './vote-value.js';

type Seven = [ObjectId, ObjectId, ObjectId, ObjectId, ObjectId, ObjectId, ObjectId];

const users = [1, 2, 3].map((n) => new ObjectId(n.toString(16).padStart(24, 'a')));
const [listed, draft, deleted, commented, tombstone, hidden, missing] = Array.from(
  { length: 7 },
  (_, n) => new ObjectId(n.toString(16).padStart(24, 'b')),
) as Seven;
const author = users[0]!;
const now = new Date('2026-01-01T00:00:00Z');

function post(isPublic: boolean, deletedAt: Date | null = null) {
  const stats = { likesCount: 100, dislikesCount: 50 };
  return { authorId: author, isListed: isPublic && deletedAt === null, deletedAt, stats };
}

function comment(postId: ObjectId, deletedAt: Date | null = null) {
  return { postId, authorId: users[2]!, deletedAt, isVisible: true, stats: { likesCount: 100, dislikesCount: 50 } };
}

function stateOf(rows: Interaction[]): CurrentState {
  return {
    rows: new Map(rows.map((row) => [row._id.toString('hex'), row])),
    posts: new Map([
      [listed.toHexString(), post(true)],
      [draft.toHexString(), post(false)],
      [deleted.toHexString(), post(true, now)],
    ]),
    comments: new Map([
      [commented.toHexString(), comment(listed)],
      [tombstone.toHexString(), comment(listed, now)],
      [hidden.toHexString(), comment(draft)],
    ]),
    collections: new Map(),
    blocked: NO_BLOCKED_PAIRS,
  };
}

function row(userId: ObjectId, targetId: ObjectId, kind: 'vote' | 'save', value: VoteValue | null): Interaction {
  const targetModel = targetId.equals(commented) || targetId.equals(hidden) ? 'Comment' : 'Post';
  const createdAt = new Date('2025-01-01T00:00:00Z');
  const _id = interactionId(userId, kind, targetId);
  return { _id, userId, targetModel, targetId, kind, value, seq: new ObjectId(), createdAt, updatedAt: createdAt };
}

const vote = (userId: ObjectId, targetId: ObjectId, value: VoteValue | null): InteractionItem => ({
  userId,
  targetId,
  kind: 'vote',
  targetModel: 'Post',
  value,
});
const save = (userId: ObjectId, targetId: ObjectId, isSaved: boolean): InteractionItem => ({
  userId,
  targetId,
  kind: 'save',
  targetModel: 'Post',
  isSaved,
});

const none = { kind: 'vote', value: null, stats: null };

describe('planInteractions', () => {
  it('returns to each caller the counts as of its place in the order', () => {
    const items = [vote(users[0]!, listed, 'like'), vote(users[1]!, listed, 'dislike'), vote(users[0]!, listed, null)];
    const plan = planInteractions(items, stateOf([]), now);
    expect(plan.results.map((result) => (result as { stats: unknown }).stats)).toEqual([
      { likesCount: 101, dislikesCount: 50 },
      { likesCount: 101, dislikesCount: 51 },
      { likesCount: 100, dislikesCount: 51 },
    ]);
    expect(plan.inserts).toHaveLength(1);
    expect([...plan.postStats.values()]).toEqual([{ likesCount: 0, dislikesCount: 1 }]);
    expect(plan.likesReceived.size).toBe(0);
  });

  it('ignores a removal through the route of another kind of target', () => {
    const byOther = (targetModel: 'Comment' | 'Collection'): InteractionItem => ({
      ...{ userId: users[0]!, targetId: listed, kind: 'vote', targetModel, value: null },
    });
    const stored = stateOf([row(users[0]!, listed, 'vote', 'dislike')]);

    const removals = planInteractions([byOther('Comment'), byOther('Collection')], stored, now);
    const added = planInteractions([byOther('Comment'), vote(users[0]!, listed, 'like')], stateOf([]), now);

    expect(removals).toMatchObject({ inserts: [], updates: [], deletes: [] });
    expect(removals.results).toEqual([none, none]);
    expect(removals.postStats.size).toBe(0);
    expect(added.inserts).toMatchObject([{ targetModel: 'Post', value: 'like' }]);
    expect([...added.postStats.values()]).toEqual([{ likesCount: 1, dislikesCount: 0 }]);
  });

  it('counts votes of unverified accounts also as those of visitors, through every change', () => {
    const unverified = (value: VoteValue | null) =>
      ({ ...vote(users[1]!, listed, value), isVisitor: true }) as InteractionItem;
    const verified = (value: VoteValue | null) => vote(users[1]!, listed, value);
    const step = (held: Interaction[], item: InteractionItem) => {
      const { inserts, updates, deletes, postStats } = planInteractions([item], stateOf(held), now);
      return { inserts, updates, deletes, stats: [...postStats.values()][0] };
    };
    const first = step([], unverified('like'));
    expect(first.stats).toEqual({ likesCount: 1, dislikesCount: 0, visitorLikes: 1, visitorDislikes: 0 });
    expect(first.inserts[0]!.isVisitor).toBe(true);
    const changed = { likesCount: -1, dislikesCount: 1, visitorLikes: -1, visitorDislikes: 1 };
    expect(step(first.inserts, unverified('dislike')).stats).toEqual(changed);
    const removed = { likesCount: -1, dislikesCount: 0, visitorLikes: -1, visitorDislikes: 0 };
    expect(step(first.inserts, unverified(null)).stats).toEqual(removed);
    const again = step(first.inserts, verified('like'));
    expect(again.stats).toEqual({ likesCount: 0, dislikesCount: 0, visitorLikes: -1, visitorDislikes: 0 });
    expect(again.updates).toEqual([{ _id: first.inserts[0]!._id, value: 'like' }]);
    // The address may have been verified after the token was issued.
    const { inserts } = step([], verified('like'));
    expect(step(inserts, unverified('like')).stats).toBeUndefined();
    expect(step(inserts, unverified('dislike')).stats).toEqual({ likesCount: -1, dislikesCount: 1 });
  });

  it('decides each toggle by the row that the ones before it leave', () => {
    const toggle = (item: InteractionItem): InteractionItem => ({ ...item, isToggle: true });
    const like = toggle(vote(users[1]!, listed, 'like'));
    const dislike = toggle(vote(users[1]!, listed, 'dislike'));
    const saved = toggle(save(users[1]!, listed, true));
    const transitions = (items: InteractionItem[], held: Interaction[] = []) =>
      planInteractions(items, stateOf(held), now).results.map((result) => (result as InteractionResult).transition);
    const { inserts } = planInteractions([like], stateOf([]), now);

    expect(transitions([like, like, dislike, like, like])).toEqual([
      ...['recorded', 'removed', 'recorded', 'switched', 'removed'],
    ]);
    expect(transitions([dislike, dislike], inserts)).toEqual(['switched', 'removed']);
    expect(transitions([saved, saved, saved])).toEqual(['recorded', 'removed', 'recorded']);
  });

  it('nets a thousand toggles to nothing', () => {
    const items = Array.from({ length: 1000 }, () => ({ ...vote(users[1]!, listed, 'like'), isToggle: true }));
    const plan = planInteractions(items, stateOf([]), now);

    expect([plan.inserts, plan.updates, plan.deletes, plan.postStats.size]).toEqual([[], [], [], 0]);
  });

  it('refuses votes of a blocked pair on either side, and lets votes be removed and posts be saved', () => {
    const state = {
      ...stateOf([row(users[1]!, listed, 'vote', 'like')]),
      blocked: new BlockedPairs([[author, users[1]!]]),
    };
    const like = vote(users[1]!, listed, 'like');
    const onComment: InteractionItem = {
      ...like,
      kind: 'vote',
      value: 'like',
      targetModel: 'Comment',
      targetId: commented,
    };
    const items = [
      like,
      { ...like, isToggle: true },
      like,
      onComment,
      save(users[1]!, listed, true),
      vote(users[1]!, listed, null),
      vote(users[2]!, listed, 'like'),
    ];

    const plan = planInteractions(items, state, now);

    const outcomes = plan.results.map((result) => (result instanceof CodedError ? result.code : 'ok'));
    expect(outcomes).toEqual(['blocked', 'ok', 'blocked', 'ok', 'ok', 'ok', 'ok']);
    const ofOther = { ...stateOf([]), blocked: new BlockedPairs([[users[1]!, users[2]!]]) };
    expect(planInteractions([onComment, like], ofOther, now).results).toEqual([
      expect.objectContaining({ code: 'blocked' }),
      expect.objectContaining({ value: 'like' }),
    ]);
  });

  it('removes a toggled vote from a post that was hidden since, and records none', () => {
    const toggled = { ...vote(users[1]!, draft, 'like'), isToggle: true };
    const removed = planInteractions([toggled], stateOf([row(users[1]!, draft, 'vote', 'like')]), now);
    const refused = planInteractions([toggled], stateOf([]), now);

    expect(removed.results).toEqual([{ kind: 'vote', value: null, stats: null, transition: 'removed' }]);
    expect(refused.results).toEqual([expect.objectContaining({ code: 'post_not_found' })]);
  });

  it('writes nothing for a thousand equal votes', () => {
    const items = Array.from({ length: 1000 }, () => vote(users[1]!, listed, 'like'));
    const fresh = planInteractions(items, stateOf([]), now);
    expect(fresh.inserts).toHaveLength(1);
    expect([...fresh.postStats.values()]).toEqual([{ likesCount: 1, dislikesCount: 0 }]);
    const again = planInteractions(items, stateOf(fresh.inserts), now);
    expect([again.inserts, again.updates, again.deletes]).toEqual([[], [], []]);
    expect(again.postStats.size).toBe(0);
  });

  it('never moves a counter for a save', () => {
    const plan = planInteractions([save(users[1]!, listed, true), vote(users[1]!, listed, 'like')], stateOf([]), now);
    expect(plan.inserts.map(({ kind, value }) => [kind, value])).toEqual([
      ['save', null],
      ['vote', 'like'],
    ]);
    expect([...plan.postStats.values()]).toEqual([{ likesCount: 1, dislikesCount: 0 }]);
  });

  it('keeps the place of a save that is removed and added again within one batch', () => {
    const held = row(users[1]!, listed, 'save', null);
    const plan = planInteractions(
      [save(users[1]!, listed, false), save(users[1]!, listed, true)],
      stateOf([held]),
      now,
    );
    expect([plan.inserts, plan.updates, plan.deletes]).toEqual([[], [], []]);
    expect(plan.results[1]).toMatchObject({ savedAt: held.createdAt });
  });

  it('refuses only unreadable targets, and lets authors vote on their own drafts without counting received likes', () => {
    const stranger = users[1]!;
    const plan = planInteractions(
      [
        vote(stranger, draft, 'like'),
        vote(stranger, deleted, 'like'),
        vote(stranger, missing, 'like'),
        save(stranger, draft, true),
        vote(author, draft, 'like'),
        vote(stranger, listed, 'like'),
      ],
      stateOf([]),
      now,
    );
    expect(plan.results.map((result) => (result instanceof CodedError ? result.code : 'ok'))).toEqual([
      ...Array<string>(4).fill('post_not_found'),
      'ok',
      'ok',
    ]);
    expect([...plan.likesReceived]).toEqual([[author.toHexString(), 1]]);
    expect(plan.inserts).toHaveLength(2);
  });

  it('refuses a vote on a deleted comment, or on a comment of an unreadable post', () => {
    const plan = planInteractions(
      [commented, tombstone, hidden, missing].map((targetId): InteractionItem => ({
        userId: users[1]!,
        targetId,
        kind: 'vote',
        targetModel: 'Comment',
        value: 'like',
      })),
      stateOf([]),
      now,
    );
    expect(plan.results.map((result) => (result instanceof CodedError ? result.code : 'ok'))).toEqual([
      'ok',
      'comment_not_found',
      'comment_not_found',
      'comment_not_found',
    ]);
    expect(plan.postStats.size + plan.likesReceived.size).toBe(0);
    expect([...plan.commentStats]).toEqual([[commented.toHexString(), { likesCount: 1, dislikesCount: 0 }]]);
  });

  it('removes votes and saves on a hidden, deleted or unknown target, without returning its counts', () => {
    const reader = users[1]!;
    const items = [draft, deleted, missing].flatMap((target) => [
      vote(reader, target, null),
      save(reader, target, false),
    ]);
    const rows = [draft, deleted, missing].map((target) => row(reader, target, 'vote', 'like'));

    const plan = planInteractions(items, stateOf(rows), now);

    const [voted, saved] = [
      { kind: 'vote', value: null, stats: null },
      { kind: 'save', savedAt: null },
    ];
    expect(plan.results).toEqual([voted, saved, voted, saved, voted, saved]);
    expect(plan.deletes).toEqual(rows.map(({ _id }) => _id));
    const lessOne = { likesCount: -1, dislikesCount: 0 };
    expect([...plan.postStats]).toEqual([draft, deleted].map((target) => [target.toHexString(), lessOne]));
    expect(plan.likesReceived.size).toBe(0);
  });

  it('leaves exactly the rows and counters that one change after the other would have left', () => {
    const anyUser = fc.constantFrom(...users);
    const anyValue = fc.constantFrom<VoteValue | null>('like', 'dislike', null);
    const anyItem: fc.Arbitrary<InteractionItem> = fc.oneof(
      fc
        .tuple(anyUser, fc.constantFrom(listed, draft), anyValue)
        .map(([user, target, value]) => vote(user, target, value)),
      fc.tuple(anyUser, anyValue).map(([userId, value]) => ({
        userId,
        targetId: commented,
        kind: 'vote' as const,
        targetModel: 'Comment' as const,
        value,
      })),
      fc
        .tuple(anyUser, fc.constantFrom(listed, draft), fc.boolean())
        .map(([user, target, on]) => save(user, target, on)),
    );
    const anyRows = fc
      // the votes on the draft were cast before it was hidden
      .subarray(users.flatMap((user) => [listed, draft, commented].map((target) => [user, target] as const)))
      .chain((pairs) =>
        fc.tuple(
          ...pairs.map(([user, target]) =>
            fc.constantFrom<VoteValue>('like', 'dislike').map((value) => row(user, target, 'vote', value)),
          ),
        ),
      );

    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 60 }), anyRows, (items, rows) => {
        const model = new Map(rows.map((held) => [held._id.toString('hex'), held.value as string | null]));
        const count = (target: ObjectId, value: VoteValue) =>
          [...model].filter(([key, held]) => held === value && key.slice(24) === `01${target.toHexString()}`).length;
        const base = new Map(
          [listed, draft, commented].map((target) => [target, [count(target, 'like'), count(target, 'dislike')]]),
        );

        const plan = planInteractions(items, stateOf(rows), now);

        items.forEach((item, index) => {
          const result = plan.results[index]!;
          const isHidden = item.targetId.equals(draft) && !item.userId.equals(author);
          const key = interactionId(item.userId, item.kind, item.targetId).toString('hex');
          const isHeld = item.kind === 'vote' ? item.value !== null : item.kind === 'save' && item.isSaved;
          if (isHidden && isHeld) {
            expect(result).toBeInstanceOf(CodedError);
            return;
          }
          if (isHeld) model.set(key, item.kind === 'vote' ? item.value : null);
          else model.delete(key);
          const [likes, dislikes] = base.get(item.targetId)!;
          if (item.kind === 'save') expect((result as { savedAt: Date | null }).savedAt !== null).toBe(item.isSaved);
          else
            expect(result).toMatchObject({
              value: (item as { value?: VoteValue }).value,
              stats: isHidden
                ? null
                : {
                    likesCount: 100 + count(item.targetId, 'like') - likes!,
                    dislikesCount: 50 + count(item.targetId, 'dislike') - dislikes!,
                  },
            });
        });

        const after = new Map(rows.map((held) => [held._id.toString('hex'), held.value as string | null]));
        for (const _id of plan.deletes) expect(after.delete(_id.toString('hex'))).toBe(true);
        for (const { _id, value } of plan.updates) {
          expect(after.has(_id.toString('hex')) && after.get(_id.toString('hex')) !== value).toBe(true);
          after.set(_id.toString('hex'), value);
        }
        for (const { _id, value } of plan.inserts) {
          expect(after.has(_id.toString('hex'))).toBe(false);
          after.set(_id.toString('hex'), value);
        }
        expect(new Map([...after].sort())).toEqual(new Map([...model].sort()));

        for (const [target, stats] of [
          [listed, plan.postStats.get(listed.toHexString())],
          [draft, plan.postStats.get(draft.toHexString())],
          [commented, plan.commentStats.get(commented.toHexString())],
        ] as const) {
          const [likes, dislikes] = base.get(target)!;
          expect(stats?.likesCount ?? 0).toBe(count(target, 'like') - likes!);
          expect(stats?.dislikesCount ?? 0).toBe(count(target, 'dislike') - dislikes!);
        }
        const received = plan.likesReceived.get(author.toHexString()) ?? 0;
        expect(received).toBe(count(listed, 'like') - base.get(listed)![0]!);
      }),
      { numRuns: 500 },
    );
  });
});
