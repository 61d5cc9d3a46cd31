import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { CodedError } from '../../src/common/errors.js';
import { FollowingReader } from '../../src/feed/timelines/following-reader.js';
import { TimelineConfig } from '../../src/feed/timelines/timeline-config.js';
import { Timelines } from '../../src/feed/timelines/timelines.js';
import { FollowsService } from '../../src/follows/follows.service.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { VISIBILITIES } from '../../src/posts/post-types.js';
import { useApp } from '../support/app.js';
import type { Person } from '../support/world.js';
import { triedAgain } from '../support/repeated-requests.js';
import type { Answer } from '../support/client.js';
import { isLong, scale } from '../support/scale.js';

const PEOPLE = 7;
/** Small limits exercise cuts, floors, switches between timeline and merge, and authors too popular for a fan-out. */
const LIMITS = { mergedFollows: 1, keptPosts: 6, cutEvery: 2, fannedOutFollowers: 4 };
const PAGE = 3;
const never = new AbortController().signal;

const who = fc.nat(PEOPLE - 1);
const post = fc.nat(60);
const visibility = fc.constantFrom(...VISIBILITIES);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('publish' as const), who, visibility }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('list' as const), post, visibility }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), post }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('follow' as const), who, whom: who, isFollowing: fc.boolean() }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('read' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), who }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
/** Steps of one round are concurrent, while tasks run. */
const anyRounds = fc.array(fc.array(step, { minLength: 20, maxLength: isLong ? 60 : 40 }), {
  minLength: 3,
  maxLength: isLong ? 10 : 4,
});

describe('home timelines under concurrent posts, follows, changes of visibility and losses', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0', CLEANUP_ROWS_PER_SECOND: '1000000', CACHE_FEED_TTL_MS: '0' } });
  const { world } = app;
  let people: Person[];
  let filled: number;
  let pagesWalked = 0;
  let posts: { id: string; author: Person }[];

  beforeAll(() => {
    Object.assign(app.app.get(TimelineConfig, { strict: false }), LIMITS);
  });

  it('equal a scan of all posts, as a merge does, and a cursor continues from a timeline into a merge', async () => {
    let steps = 0;
    filled = 0;
    await fc.assert(
      fc.asyncProperty(anyRounds, async (rounds) => {
        people = await world.people(PEOPLE);
        posts = [];
        for (const round of rounds) {
          steps += round.length;
          let isOver = false;
          const working = (async () => {
            for (; !isOver; await sleep(20)) await app.app.get(TaskWorker).work(never);
          })();
          await Promise.all(round.map(take)).finally(() => (isOver = true));
          await working;
          expect((await drain()).failed).toBe(0);
          for (const person of people) await compare(person);
        }
      }),
      { numRuns: scale('timelineRuns'), endOnFailure: true },
    );
    expect(steps).toBeGreaterThan(isLong ? 500 : 0);
    // A few random rounds may fill no timeline.
    if (isLong) expect(filled).toBeGreaterThan(20);
  });

  async function take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'publish': {
        const author = people[one.who]!;
        const { id } = await triedAgain(() => world.post({ by: author, visibility: one.visibility }));
        posts.push({ id, author });
        return;
      }
      case 'list':
      case 'remove': {
        const found = posts[one.post];
        if (found === undefined) return;
        const change = triedAgain(() =>
          one.kind === 'list'
            ? world.editPost(found.id, { by: found.author, visibility: one.visibility })
            : world.deletePost(found.id, { by: found.author }),
        );
        // Another step of the round has deleted the post.
        return change.catch((error: unknown) => expect((error as CodedError).code).toBe('post_not_found'));
      }
      case 'follow': {
        const [reader, author] = [people[one.who]!, people[one.whom]!];
        if (reader === author) return;
        const follows = app.app.get(FollowsService, { strict: false });
        await triedAgain(() => follows.follow(reader, author.username, one.isFollowing));
        return;
      }
      case 'read': {
        const cards = await walkFeed(people[one.who]!);
        expect(cards).toEqual([...new Set(cards)].sort().reverse());
        return;
      }
      case 'lose':
        await lose(people[one.who]!);
    }
  }

  /** Closes the timeline, as for a reader who is inactive for long. */
  const lose = (person: Person) => app.app.get(Timelines, { strict: false }).close(person._id);

  async function walkFeed(person: Person, betweenPages: () => Promise<unknown> = async () => {}): Promise<string[]> {
    const places: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const search: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { status, body }: Answer = await app.client.get(`/v1/feed/following?limit=${PAGE}${search}`, {
        token: person.token,
      });
      expect(status).toBe(200);
      places.push(...body.data.map(placeOf));
      cursor = body.page.nextCursor;
      if (cursor !== null) {
        expect(body.data).toHaveLength(PAGE);
        await betweenPages();
      }
    }
    return places;
  }

  async function compare(person: Person): Promise<void> {
    const rows = await app.db.collection('follows').find({ followerId: person._id }).toArray();
    const authors = rows.map((row) => row['followingId'] as ObjectId);
    const listed = await app.db
      .collection('posts')
      .find({ authorId: { $in: authors }, isListed: true })
      .toArray();
    const expected = listed
      .map(({ _id, createdAt }) => placeOf({ id: _id.toHexString(), createdAt }))
      .sort()
      .reverse();
    const filter = { _id: person._id, isFilled: true };
    const isFilled = (await app.db.collection('home_timelines').countDocuments(filter)) > 0;
    if (isFilled) filled++;
    expect({ isFilled, feed: await walkFeed(person) }).toEqual({ isFilled, feed: expected });
    const merged = await app.app.get(FollowingReader, { strict: false }).read(authors, null, 1_000);
    const ids = Array.from({ length: merged.length }, (_, at) => merged.id(at));
    expect(ids).toEqual(expected.map((place) => place.split(' ')[1]));
    // The walk switches from the timeline to the merge, and back after a task has filled the timeline again.
    expect(await walkFeed(person, () => (pagesWalked++ % 2 === 0 ? lose(person) : drain()))).toEqual(expected);
  }

  const drain = () => app.app.get(TaskWorker).drain(never);
});

/** Sort key in the order of the feed. */
function placeOf({ id, createdAt }: { id: string; createdAt: string | Date }): string {
  return `${new Date(createdAt).toISOString()} ${id}`;
}
