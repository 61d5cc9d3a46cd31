import { setTimeout as sleep } from 'node:timers/promises';
import { BlocksService } from '../../src/blocks/blocks.service.js';
import { CommentWriterService } from '../../src/comments/comment-writer.service.js';
import { CodedError } from '../../src/common/errors.js';
import { pairId } from '../../src/common/pair-id.js';
import type { Follow } from '../../src/follows/follow.schema.js';
import { FollowWriterService } from '../../src/follows/follow-writer.service.js';
import { InteractionWriterService } from '../../src/interactions/interaction-writer.service.js';
import { startApp, type TestApp, useApp } from '../support/app.js';
import { differences } from '../support/audit.js';
import { scale } from '../support/scale.js';
import type { Person } from '../support/world.js';

/** Concurrent readers of one author, so that batches have several items and blocks conflict at the author. */
const READERS = 10;
/** About the duration of a block. */
const MAX_DELAY_MS = 20;
const KINDS = ['comment', 'vote', 'follow', 'followBack'] as const;

type Outcome = 'written' | 'blocked';
type Outcomes = Record<(typeof KINDS)[number], Outcome>;

describe('blocks that race with comments, votes and follows', () => {
  const app = useApp();
  const { world } = app;
  let other: TestApp;

  beforeAll(async () => {
    other = await startApp({ beside: app });
  });
  afterAll(() => other.close());

  it('leave no follow, every written row in its counter, and nothing that was sent after the response of the block', async () => {
    const first: Outcomes[] = [];
    const later: Outcomes[] = [];

    for (let count = 0; count < scale('blockRaces'); count += READERS) {
      const [author, ...readers] = await world.people(READERS + 1);
      const { id } = await world.post({ by: author });
      const races = readers.map(async (reader, at) => {
        const [owner, blocked] = at % 2 === 0 ? [author, reader] : [reader, author];
        const blocking = app.app.get(BlocksService).block(owner.viewer, blocked.username);
        await sleep((at * MAX_DELAY_MS) / READERS);
        first.push(await attempt(author, reader, id));
        await blocking;
        later.push(await attempt(author, reader, id));
      });
      await Promise.all(races);
      const pairs = readers.flatMap(({ _id }) => [pairId(_id, author._id), pairId(author._id, _id)]);
      expect(await app.db.collection<Follow>('follows').countDocuments({ _id: { $in: pairs } })).toBe(0);
    }

    for (const outcomes of later) expect(Object.values(outcomes)).toEqual(KINDS.map(() => 'blocked'));
    const written = (kind: keyof Outcomes) => first.filter((outcomes) => outcomes[kind] === 'written').length;
    const rows = (name: string) => app.db.collection(name).countDocuments({});
    expect([await rows('comments'), await rows('interactions')]).toEqual([written('comment'), written('vote')]);
    expect(await differences(app.db)).toEqual([]);
  });

  /** Runs on another host, so that no process orders these writes and the block. */
  async function attempt(author: Person, reader: Person, postId: string): Promise<Outcomes> {
    const of = <T>(Writer: new (...args: never[]) => T): T => other.app.get(Writer);
    const follow = (one: Person, whom: Person) =>
      of(FollowWriterService).submit({ followerId: one.id, followingId: whom.id, isFollowing: true });
    const vote = { kind: 'vote', userId: reader.id, targetModel: 'Post', targetId: postId, value: 'like' } as const;
    const comment = { authorId: reader.id, postId, parentId: null, content: 'Well said.', mentions: [] };
    const [...outcomes] = await Promise.all([
      outcomeOf(of(CommentWriterService).submit(comment)),
      outcomeOf(of(InteractionWriterService).submit(vote)),
      outcomeOf(follow(reader, author)),
      outcomeOf(follow(author, reader)),
    ]);
    return Object.fromEntries(KINDS.map((kind, at) => [kind, outcomes[at]])) as Outcomes;
  }
});

async function outcomeOf(write: Promise<unknown>): Promise<Outcome> {
  try {
    await write;
    return 'written';
  } catch (error) {
    if (error instanceof CodedError && error.code === 'blocked') return 'blocked';
    throw error;
  }
}
