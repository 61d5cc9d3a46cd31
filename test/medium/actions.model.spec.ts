import fc from 'fast-check';
import { STANDING_CHANGED } from '../../src/users/users.events.js';
import { useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { scale, SEED } from '../support/scale.js';
import { runTasks } from '../support/tasks.js';
import type { Person } from '../support/world.js';

const app = useApp();
const { world } = app;

const UNDO = { remove: 'restore', lock: 'unlock', limit: 'lift', suspend: 'lift', ban: 'lift' } as const;
type Forward = keyof typeof UNDO;
const KINDS = {
  post: ['remove', 'restore', 'lock', 'unlock'],
  comment: ['remove', 'restore'],
  user: ['warn', 'limit', 'suspend', 'ban', 'lift'],
} as const;
type TargetKind = keyof typeof KINDS;

const anyStep = fc
  .constantFrom<TargetKind>('post', 'comment', 'user')
  .chain((targetKind) =>
    fc.record({ targetKind: fc.constant(targetKind), kind: fc.constantFrom(...KINDS[targetKind]), at: fc.nat(1) }),
  );

/** What a target is under, by the action that ends it: `restore`, `unlock` or `lift`. */
type Effects = Map<string, { kind: string; actionId: string }>;
type Target = { kind: TargetKind; id: string; effects: Effects; log: string[] };

describe('any sequence of actions', () => {
  it('has the effects of a model, a complete log, exact counters, and can be undone', async () => {
    const moderators = await world.people(2, { role: 'moderator' });
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 20 }), async (steps) => {
        const { targets, authors } = await makeTargets();
        const before = await statsOf(authors);

        for (const [index, { targetKind, kind, at }] of steps.entries())
          await perform(targets.filter((one) => one.kind === targetKind)[at]!, kind, moderators[index % 2]!);
        await runTasks(app, [STANDING_CHANGED]);
        expect(await differences(app.db)).toEqual([]);
        for (const target of targets)
          for (const undo of [...target.effects.keys()]) await perform(target, undo, moderators[0]);
        await runTasks(app, [STANDING_CHANGED]);

        expect(await differences(app.db)).toEqual([]);
        expect(await statsOf(authors)).toEqual(before);
        for (const { id, log } of targets) expect(await logOf(id, moderators[0])).toEqual(log);
      }),
      { numRuns: scale('moderationRuns'), seed: SEED, endOnFailure: true },
    );
  });

  /** Performs an action, and compares the outcome with the model. */
  async function perform({ kind: targetKind, id, effects, log }: Target, kind: string, by: Person): Promise<void> {
    const undo = UNDO[kind as Forward] as string | undefined;
    const changes = undo === undefined ? kind === 'warn' || effects.has(kind) : effects.get(undo)?.kind !== kind;
    const body = { kind, targetKind, targetId: id, reasonCode: 'other', publicReason: 'For a test.' };

    const answer = await app.patient.post('/v1/moderation/actions', { token: by.token, body });

    expect([kind, targetKind, answer.status]).toEqual([kind, targetKind, changes ? 201 : 409]);
    if (!changes) return;
    log.unshift(`${kind} ${effects.get(kind)?.actionId ?? null}`);
    if (undo !== undefined) effects.set(undo, { kind, actionId: answer.body.id });
    else effects.delete(kind);
  }

  /** Two posts with likes, a reply under a comment on another post, and their authors. */
  async function makeTargets(): Promise<{ targets: Target[]; authors: Person[] }> {
    const authors = await world.people(2);
    const [author, other] = authors;
    const posts = [await world.post({ by: author }), await world.post({ by: other })];
    const open = await world.post({ by: author });
    const comment = await world.comment({ by: author, on: open.id });
    const reply = await world.comment({ by: other, on: open.id, parentId: comment.id });
    for (const { id } of posts)
      await app.patient.put(`/v1/posts/${id}/vote`, { token: other.token, body: { value: 'like' } });
    const targetOf = (kind: TargetKind, { id }: { id: string }): Target => ({ kind, id, effects: new Map(), log: [] });
    const targets = [
      ...posts.map((post) => targetOf('post', post)),
      ...[comment, reply].map((one) => targetOf('comment', one)),
      ...authors.map((person) => targetOf('user', person)),
    ];
    return { targets, authors };
  }

  /** Returns the counters of the authors, and of their posts and comments. */
  async function statsOf(authors: Person[]): Promise<unknown> {
    const ids = authors.map(({ _id }) => _id);
    const sorted = { sort: { _id: 1 }, projection: { stats: 1 } } as const;
    return {
      users: await app.db
        .collection('users')
        .find({ _id: { $in: ids } }, sorted)
        .toArray(),
      posts: await app.db
        .collection('posts')
        .find({ authorId: { $in: ids } }, sorted)
        .toArray(),
      comments: await app.db
        .collection('comments')
        .find({ authorId: { $in: ids } }, sorted)
        .toArray(),
    };
  }

  async function logOf(targetId: string, { token }: Person): Promise<string[]> {
    const { body } = await app.patient.get(`/v1/admin/log?targetId=${targetId}&limit=100`, { token });
    return body.data.map(({ kind, reverses }: { kind: string; reverses: string | null }) => `${kind} ${reverses}`);
  }
});
