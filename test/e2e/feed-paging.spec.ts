import fc from 'fast-check';
import type { Document } from 'mongodb';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';
import { runScoreJob } from '../support/ranks.js';
import { scale, SEED } from '../support/scale.js';

const RUNS = scale('pagingRuns');
const POSTS = 90;
const DAY_MS = 86_400_000;

type Sort = 'hot' | 'top';
type Change = 'rescore' | 'create' | 'hide' | 'publish' | 'delete' | 'vote';
type Step = { limit: number; change: Change; pick: number; isConcurrent: boolean };
type Outcome = { seen: string[]; end: 'complete' | 'expired' };

const step: fc.Arbitrary<Step> = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  change: fc.oneof(
    { weight: 1, arbitrary: fc.constant<Change>('rescore') },
    { weight: 6, arbitrary: fc.constantFrom<Change>('create', 'hide', 'publish', 'delete', 'vote') },
  ),
  pick: fc.nat(),
  isConcurrent: fc.boolean(),
});

describe('paging through a ranking that changes', () => {
  // Stale-if-error would serve an old page when a slow machine computes for a second.
  const app = useApp({ env: { CACHE_FEED_TTL_MS: '50', CACHE_STALE_MS: '50', CACHE_STALE_IF_ERROR_MS: '0' } });
  const { world } = app;
  const counts = { walks: 0, pages: 0, flips: 0, expired: 0, complete: 0 };
  const owners = new Map<string, Person>();
  let people: Person[];
  let hidden: string[] = [];
  let scoredAt = Date.now();

  const posts = () => app.db.collection('posts');
  const epoch = async (): Promise<Document> => (await app.db.collection<Document>('score_epochs').findOne({}))!;
  const listed = async (): Promise<string[]> =>
    (await posts().find({ isListed: true }).project({ _id: 1 }).toArray()).map(({ _id }) => String(_id));

  async function create(): Promise<void> {
    const author = people[owners.size % people.length]!;
    const { id } = await world.post({ by: author });
    owners.set(id, author);
  }

  /** Changes the views of every post and runs the score job six hours later, which changes most of the order. */
  async function rescore(pick: number): Promise<void> {
    const rows = await posts().find({}).project({ _id: 1 }).toArray();
    const moved = rows.map(({ _id }, at) => ({
      updateOne: { filter: { _id }, update: { $set: { 'stats.viewsCount': ((at + 1) * (pick + 7919)) % 997 } } },
    }));
    await posts().bulkWrite(moved);
    scoredAt += DAY_MS / 4;
    if ((await runScoreJob(app, { now: new Date(scoredAt) })) !== null) counts.flips++;
  }

  async function change({ change: what, pick }: Step, touched: Set<string>): Promise<void> {
    if (what === 'rescore') return rescore(pick);
    if (what === 'create') return create();
    const candidates = what === 'publish' ? hidden : await listed();
    // An earlier change may still run: a post that it deletes could not be edited.
    const pool = candidates.filter((one) => !touched.has(one));
    const id = pool[pick % pool.length];
    if (id === undefined) return;
    const owner = owners.get(id)!;
    if (what === 'vote') {
      const { token } = people[pick % people.length]!;
      await app.client.put(`/v1/posts/${id}/vote`, { token, body: { value: pick % 3 === 0 ? 'dislike' : 'like' } });
      return;
    }
    touched.add(id);
    if (what === 'delete') return world.deletePost(id, { by: owner });
    hidden = what === 'hide' ? [...hidden, id] : hidden.filter((one) => one !== id);
    return world.editPost(id, { by: owner, isPublic: what === 'publish' });
  }

  /** Follows the cursors to the end of the list, or of the ranking, while the steps run. */
  async function walkDuring(sort: Sort, steps: Step[], touched: Set<string>): Promise<Outcome> {
    const seen: string[] = [];
    const under: Promise<void>[] = [];
    let cursor: string | null = '';
    for (let turn = 0; ; turn++) {
      const current = steps[turn];
      if (current !== undefined) {
        const changing = change(current, touched);
        if (current.isConcurrent) under.push(changing);
        else await changing;
      }
      const limit = current?.limit ?? 10;
      const answer = await app.client.get(
        `/v1/feed?sort=${sort}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      counts.pages++;
      if (answer.status === 400) {
        expect(answer.body.code).toBe('cursor_expired');
        await Promise.all(under);
        return { seen, end: 'expired' };
      }
      expect(answer.status).toBe(200);
      seen.push(...(answer.body.data as { id: string }[]).map(({ id }) => id));
      cursor = answer.body.page.nextCursor as string | null;
      if (cursor === null) {
        await Promise.all(under);
        return { seen, end: 'complete' };
      }
      expect(answer.body.data).toHaveLength(limit);
    }
  }

  beforeAll(async () => {
    people = await world.people(6);
    for (let at = 0; at < POSTS; at++) await create();
    await rescore(1);
  });

  it('shows each post once and omits none, in the order of the ranking in which it began', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Sort>('hot', 'top'),
        fc.array(step, { minLength: 4, maxLength: 12 }),
        async (sort, steps) => {
          while ((await listed()).length < POSTS - 20) await create();
          // The first page of the previous walk must expire.
          await new Promise((resolve) => setTimeout(resolve, 120));
          const begun = await epoch();
          const order = (
            await posts()
              .find({ isListed: true })
              .sort({ [`rank.${sort}${begun['slot']}`]: -1, _id: -1 })
              .project({ _id: 1 })
              .toArray()
          ).map(({ _id }) => String(_id));
          const touched = new Set<string>();
          // The first page belongs to the examined ranking.
          const first: Step = { limit: steps[0]!.limit, change: 'vote', pick: 0, isConcurrent: false };
          const { seen, end } = await walkDuring(sort, [first, ...steps], touched);
          counts.walks++;
          counts[end]++;

          expect(new Set(seen).size).toBe(seen.length);
          const stayed = order.filter((id) => !touched.has(id));
          const known = new Set(stayed);
          const shown = seen.filter((id) => known.has(id));
          expect(shown).toEqual(end === 'complete' ? stayed : stayed.slice(0, shown.length));
          // A cursor may expire only after its ranking has been replaced.
          if (end === 'expired') expect((await epoch())['epoch']).toBeGreaterThan(begun['epoch'] as number);
        },
      ),
      { seed: SEED, numRuns: RUNS, endOnFailure: true },
    );
    console.log(JSON.stringify(counts));
    expect(counts.complete).toBeGreaterThan(0);
    expect(counts.flips).toBeGreaterThan(3);
  });

  it('responds cursor_expired once the ranking of a cursor is being replaced, and not before', async () => {
    const next = async (query: string) => app.client.get(`/v1/feed?sort=hot&${query}`);
    const { nextCursor } = (await next('limit=5')).body.page as { nextCursor: string };
    await rescore(3);
    expect((await next(`limit=6&cursor=${nextCursor}`)).status).toBe(200);
    await rescore(4);
    const expired = await next(`limit=7&cursor=${nextCursor}`);
    expectProblem(expired, 400, 'cursor_expired');
    expect(expired.body.errors[0].field).toBe('cursor');
  });
});
