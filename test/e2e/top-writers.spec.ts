import { ObjectId } from 'mongodb';
import { AccountsService } from '../../src/auth/accounts.service.js';
import { AUTHOR_COUNTERS, AUTHOR_DAYS } from '../../src/views/author-day.schema.js';
import { WriterListsJob } from '../../src/views/writer-lists.job.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import { drainTasks, verbsOf } from '../support/verbs.js';
import type { Person } from '../support/world.js';

const DAY_MS = 86_400_000;

describe('GET /v1/users/top?window=', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
  const { world } = app;
  const { walk } = verbsOf(app);
  const list = () => app.app.get(WriterListsJob).run(new AbortController().signal);
  const topOf = async (window: string, limit = 50): Promise<string[]> =>
    (await walk(`users/top?window=${window}`, limit)).map(({ id }) => id);
  let writers: Person[];

  /** Adds a day with these counts to an author. */
  const addDay = async ({ id, _id }: Person, daysAgo: number, counts: object) => {
    const day = new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
    const zeros = Object.fromEntries(AUTHOR_COUNTERS.map((name) => [name, 0]));
    const row = { _id: `${id}:${day}` as unknown as ObjectId, authorId: _id, day, ...zeros, ...counts };
    await app.db.collection(AUTHOR_DAYS).insertOne(row);
  };

  beforeAll(async () => {
    writers = await world.people(6);
    for (const by of writers) await world.post({ by });
    const [viewed, liked, discussed, followed, earlier, lastYear] = writers as [Person, Person, Person, ...Person[]];
    await addDay(viewed, 0, { views: 10, reads: 500, shares: 500 });
    await addDay(liked, 1, { likes: 3 });
    await addDay(discussed, 6, { comments: 3 });
    await addDay(followed!, 2, { follows: 3 });
    await addDay(followed!, 40, { views: 1_000 });
    await addDay(earlier!, 8, { likes: 100 });
    await addDay(lastYear!, 366, { likes: 100 });
    await list();
  });

  it('lists writers by views, likes, comments and new followers of the window, not by reads and shares', async () => {
    const [viewed, liked, discussed, followed, earlier] = writers.map(({ id }) => id);
    const week = [followed, discussed, liked, viewed];
    expect(await topOf('week')).toEqual(week);
    expect(await topOf('month')).toEqual([earlier, ...week]);
    expect(await topOf('year')).toEqual([followed, earlier, discussed, liked, viewed]);
  });

  it('continues at a cursor, and returns the cards of profiles', async () => {
    expect(await topOf('week', 1)).toEqual(await topOf('week'));
    const [, liked] = writers as [Person, Person];
    const { body } = await app.client.get('/v1/users/top?window=week');
    const { data } = (await app.client.get(`/v1/users?ids=${liked.id}`)).body;
    expect(body.data.find(({ id }: { id: string }) => id === liked.id)).toEqual({ ...data[0], likesPerPost: 0 });
    const { nextCursor } = (await app.client.get('/v1/users/top?window=week&limit=1')).body.page;
    expectProblem(await app.client.get(`/v1/users/top?window=year&cursor=${nextCursor}`), 400, 'invalid_cursor');
    expectProblem(await app.client.get('/v1/users/top?window=day'), 400, 'invalid_input');
  });

  it('pages the writers of all time', async () => {
    const all = (await walk('users/top', 2)).map(({ id }) => id);
    expect(all.sort()).toEqual(writers.map(({ id }) => id).sort());
  });

  it('omits limited and deleted accounts, and those without public posts, also before the next list', async () => {
    const [viewed, liked, discussed, followed] = writers as [Person, Person, Person, Person];
    const author = await world.person();
    await world.moderate({ kind: 'limit', targetKind: 'user', targetId: discussed.id });
    await app.app.get(AccountsService).end(liked._id);
    await drainTasks(app);
    await addDay(author, 0, { likes: 1_000 });
    await list();
    await app.untilDelivered();
    expect(await topOf('week', 2)).toEqual([followed.id, viewed.id]);
  });
});
