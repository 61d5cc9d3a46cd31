import { ObjectId } from 'mongodb';
import { TimelineConfig } from '../../src/feed/timelines/timeline-config.js';
import { readEntry } from '../../src/feed/timelines/timeline-entry-id.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { useApp } from '../support/app.js';
import { TEST_PASSWORD } from '../support/accounts.js';
import type { Answer } from '../support/client.js';
import type { Person } from '../support/world.js';

const never = new AbortController().signal;
const LIMITS = { mergedFollows: 3, keptPosts: 8, cutEvery: 1, fannedOutFollowers: 5 };

describe('GET /v1/feed/following, for a reader who follows many', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0', CLEANUP_ROWS_PER_SECOND: '1000000' } });
  const { world } = app;
  let reader: Person;
  let authors: Person[];

  const follow = (whom: { username: string }, by: { token: string } = reader) =>
    app.client.put(`/v1/users/${whom.username}/follow`, { token: by.token });
  const unfollow = (whom: Person) => app.client.delete(`/v1/users/${whom.username}/follow`, { token: reader.token });
  const drain = () => app.app.get(TaskWorker).drain(never);
  const timelineOf = ({ _id }: { _id: ObjectId }) => app.db.collection('home_timelines').findOne({ _id });
  /** The posts of a reader's timeline, newest first. */
  const entriesOf = async (person: { _id: ObjectId } = reader): Promise<string[]> => {
    const home = (await timelineOf(person))!['home'] as ObjectId;
    const rows = await app.db.collection('home_entries').find().sort({ _id: -1 }).toArray();
    const keys = rows
      .map(({ _id }) => (_id as unknown as { buffer: Uint8Array }).buffer)
      .map((key) => Buffer.from(key));
    return keys.filter((key) => key.subarray(0, 12).equals(home.id)).map((key) => readEntry(key, 0).id);
  };
  const feed = async (by: { token: string } = reader, limit = 100): Promise<string[]> => {
    const { status, body } = await app.client.get(`/v1/feed/following?limit=${limit}`, { token: by.token });
    expect(status).toBe(200);
    return body.data.map(({ id }: { id: string }) => id);
  };

  beforeEach(async () => {
    for (const limits of app.everyOf(TimelineConfig)) Object.assign(limits, LIMITS);
    [reader, ...authors] = await world.people(6);
    for (const author of authors.slice(0, 4)) expect((await follow(author)).status).toBe(200);
  });

  it('is merged at first, and read from a timeline when a task has filled one', async () => {
    const first = await world.post({ by: authors[0]! });
    expect(await feed()).toEqual([first.id]);
    expect(await timelineOf(reader)).toMatchObject({ isFilled: false });
    await drain();
    expect(await timelineOf(reader)).toMatchObject({ isFilled: true, floor: null, merged: [] });
    const second = await world.post({ by: authors[1]! });
    const draft = await world.post({ by: authors[1]!, isPublic: false });
    expect(await feed()).toEqual([first.id]);
    await drain();
    expect(await entriesOf()).toEqual([second.id, first.id]);
    expect(await feed()).toEqual([second.id, first.id]);
    await world.editPost(draft.id, { by: authors[1]!, isPublic: true });
    await drain();
    expect(await feed()).toEqual([draft.id, second.id, first.id]);
  });

  it('shows the effect of a follow and an unfollow in the next response, before its task has run', async () => {
    const [kept, added] = [await world.post({ by: authors[0]! }), await world.post({ by: authors[4]! })];
    await feed();
    await drain();
    expect(await feed()).toEqual([kept.id]);
    for (const isLate of [true, false]) {
      await follow(authors[4]!);
      if (!isLate) await drain();
      expect(await feed()).toEqual([added.id, kept.id]);
      await unfollow(authors[0]!);
      if (!isLate) await drain();
      expect(await feed()).toEqual([added.id]);
      await follow(authors[0]!);
      await unfollow(authors[4]!);
      await drain();
      expect(await feed()).toEqual([kept.id]);
      expect(await entriesOf()).toEqual([kept.id]);
      expect(await timelineOf(reader)).toMatchObject({ merged: [] });
    }
  });

  it('shows no post that was hidden or deleted, and a post that is shown again', async () => {
    const [kept, hidden] = [await world.post({ by: authors[0]! }), await world.post({ by: authors[1]! })];
    await feed();
    await drain();
    await world.editPost(hidden.id, { by: authors[1]!, isPublic: false });
    expect(await feed()).toEqual([kept.id]);
    await world.editPost(hidden.id, { by: authors[1]!, isPublic: true });
    await drain();
    expect(await feed()).toEqual([hidden.id, kept.id]);
    await world.deletePost(hidden.id, { by: authors[1]! });
    expect(await feed()).toEqual([kept.id]);
    await drain();
    expect(await entriesOf()).toEqual([kept.id]);
  });

  it('continues beyond the end of the timeline', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 12; at++) ids.unshift((await world.post({ by: authors[at % 4]! })).id);
    await feed();
    await drain();
    expect(await entriesOf()).toEqual(ids.slice(0, LIMITS.keptPosts));
    for (let at = 0; at < 5; at++) {
      ids.unshift((await world.post({ by: authors[at % 4]! })).id);
      await drain();
    }
    expect(await entriesOf()).toEqual(ids.slice(0, LIMITS.keptPosts));
    for (const limit of [1, 5, 7, 8, 9, 100]) expect(await feed(reader, limit)).toEqual(ids.slice(0, limit));
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const search: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body }: Answer = await app.client.get(`/v1/feed/following?limit=3${search}`, { token: reader.token });
      found.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.page.nextCursor;
    }
    expect(found).toEqual(ids);
  });

  it('merges the posts of an author with very many followers instead of writing them to each', async () => {
    const [star, other] = [authors[0]!, authors[1]!];
    const before = await world.post({ by: star });
    await feed();
    await drain();
    for (const fan of await world.people(LIMITS.fannedOutFollowers)) await follow(star, fan);
    const after = await world.post({ by: star });
    await drain();
    const between = await world.post({ by: other });
    await drain();
    expect(await feed()).toEqual([between.id, after.id, before.id]);
    expect(await entriesOf()).toEqual([between.id, before.id]);
    expect(await timelineOf(reader)).toMatchObject({ merged: [star._id] });
    expect(await app.db.collection('home_merged_authors').findOne({ _id: star._id })).toMatchObject({
      isSettled: true,
    });
    const last = await world.post({ by: star });
    expect((await drain()).rows).toBe(0);
    expect(await feed(reader, 2)).toEqual([last.id, between.id]);
    await unfollow(star);
    await drain();
    await follow(star);
    await drain();
    expect(await feed()).toEqual([last.id, between.id, after.id, before.id]);
  });

  it('gets no posts for an inactive reader, and is filled again when the reader returns', async () => {
    const first = await world.post({ by: authors[0]! });
    await feed();
    await drain();
    const { home } = (await timelineOf(reader))!;
    const long = new Date(Date.now() - 31 * 86_400_000);
    await app.db.collection('home_timelines').updateOne({ _id: reader._id }, { $set: { seenAt: long } });
    const second = await world.post({ by: authors[0]! });
    await drain();
    expect(await timelineOf(reader)).toBeNull();
    const left = await app.db.collection('home_entries').find().toArray();
    const keys = left.map(({ _id }) => Buffer.from((_id as unknown as { buffer: Uint8Array }).buffer));
    expect(keys.filter((key) => key.subarray(0, 12).equals((home as ObjectId).id))).toEqual([]);
    expect(await feed()).toEqual([second.id, first.id]);
    await drain();
    expect(await entriesOf()).toEqual([second.id, first.id]);
  });

  it('remembers that its reader was there', async () => {
    await feed();
    await drain();
    const long = new Date(Date.now() - 20 * 86_400_000);
    await app.db.collection('home_timelines').updateOne({ _id: reader._id }, { $set: { seenAt: long } });
    await feed();
    expect((await timelineOf(reader))!['seenAt'].getTime()).toBeGreaterThan(long.getTime());
  });

  it('is deleted with the account of its reader, whose posts leave other timelines', async () => {
    const leaving = await world.person({ overHttp: true });
    const _id = new ObjectId(leaving.id);
    for (const author of authors.slice(0, 4)) await follow(author, leaving);
    await follow(leaving);
    const body = { title: 'Farewell', content: 'So long.', type: 'article' };
    const { id } = (await app.client.post('/v1/posts', { token: leaving.token, body })).body;
    const other = await world.post({ by: authors[0]! });
    for (const by of [reader, leaving]) await feed(by);
    await drain();
    expect(await entriesOf()).toEqual([other.id, id]);
    expect(await entriesOf({ _id })).toEqual([other.id]);
    const entries = await app.db.collection('home_entries').countDocuments();
    const end = { token: leaving.token, body: { password: TEST_PASSWORD } };
    expect((await app.client.delete('/v1/users/me', end)).status).toBe(204);
    await drain();
    expect(await timelineOf({ _id })).toBeNull();
    expect(await entriesOf()).toEqual([other.id]);
    expect(await app.db.collection('home_entries').countDocuments()).toBe(entries - 2);
    expect(await feed()).toEqual([other.id]);
  });
});
