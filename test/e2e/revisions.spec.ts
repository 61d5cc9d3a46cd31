import { Binary, ObjectId } from 'mongodb';
import { POST_DELETED } from '../../src/posts/posts.events.js';
import { POST_REVISED } from '../../src/revisions/revisions.subscriber.js';
import { useApp } from '../support/app.js';
import { runHandlers } from '../support/cleanup.js';
import type { Person } from '../support/world.js';
import { drainTasks } from '../support/verbs.js';

const FIRST = { title: 'Notes', content: 'The first text.', type: 'article', tags: ['looms'] };
const DAY_MS = 86_400_000;

describe('the history of a post', () => {
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0' } });
  const { world } = app;
  let author: Person;
  let other: Person;
  let id: string;

  const edit = async (fields: object, headers = {}) =>
    app.patient.patch(`/v1/posts/${id}`, { token: author.token, body: fields, headers });
  const history = (path = '', by: Person | null = author) =>
    app.patient.get(`/v1/posts/${id}/revisions${path}`, { token: by?.token });
  const versions = async (path = ''): Promise<number[]> =>
    (await history(path)).body.data.map(({ version }: { version: number }) => version);
  /** Inserts versions that were replaced at these times, starting with version 1. */
  const insertVersions = async (times: Date[]): Promise<void> => {
    await edit({ content: 'The second text.' });
    const revisions = app.db.collection<{ _id: Binary; savedAt: Date }>('revisions');
    const { _id: _, ...row } = (await revisions.findOneAndDelete({ _id: rowOf(1) }))!;
    await revisions.insertMany(times.map((savedAt, at) => ({ ...row, _id: rowOf(at + 1), savedAt })));
  };
  const rowOf = (version: number): Binary => {
    const key = Buffer.concat([new ObjectId(id).id, Buffer.alloc(4)]);
    key.writeUInt32BE(version, 12);
    return new Binary(key);
  };

  beforeAll(async () => {
    [author, other] = await world.people(2);
  });
  beforeEach(async () => {
    id = (await app.client.post('/v1/posts', { token: author.token, body: FIRST })).body.id;
  });

  it('keeps the replaced text of every edit that changes it', async () => {
    expect((await history()).body).toEqual({ data: [], page: { nextCursor: null } });
    await edit({ content: 'The second text.' });
    await edit({ title: 'Renamed', tags: [] });
    await edit({ isPublic: false });
    await edit({ content: 'The second text.' });
    expect(await versions()).toEqual([2, 1]);
    expect((await history('/1')).body).toMatchObject({ ...FIRST, version: 1, bytes: 15, thumbnailUrl: null });
    expect((await history('/2')).body).toMatchObject({ ...FIRST, content: 'The second text.', version: 2 });
    expect((await history('/4')).body.code).toBe('revision_not_found');
    const first = (await history('?limit=1')).body;
    const second = (await history(`?limit=1&cursor=${first.page.nextCursor}`)).body;
    expect([first.data[0].version, second.data[0].version, second.page.nextCursor]).toEqual([2, 1, null]);
    for (const wrong of ['0', '01', '-1', '1.0', 'x', '99999999999'])
      expect((await history(`/${wrong}`)).body.code).toBe('invalid_input');
  });

  it('shows the changes line by line', async () => {
    await edit({ content: 'The first text.\n\nAnd more.' });
    await edit({ content: 'Another text.\n\nAnd more.' });
    const lines = async (path: string) =>
      (await history(path)).body.hunks.map((hunk: { lines: string[] }) => hunk.lines);
    expect((await history('/1/diff')).body).toMatchObject({ from: 1, to: 3 });
    expect(await lines('/1/diff')).toEqual([['-The first text.', '+Another text.', '+', '+And more.']]);
    expect(await lines('/1/diff?against=2')).toEqual([[' The first text.', '+', '+And more.']]);
    expect(await lines('/2/diff?against=1')).toEqual([[' The first text.', '-', '-And more.']]);
    expect(await lines('/2/diff?against=2')).toEqual([]);
    expect((await history('/1/diff?against=9')).body.code).toBe('revision_not_found');
    expect((await history('/1/diff?against=0')).body.code).toBe('invalid_input');
    expect((await history('/1/diff', other)).body.code).toBe('forbidden');
  });

  it('restores an earlier text as an edit, and keeps the replaced one, too', async () => {
    await edit({ title: 'Renamed', content: 'The second text.' });
    const stale = { 'if-match': '"1-x"' };
    const revert = (headers = {}, by = author) =>
      app.client.post(`/v1/posts/${id}/revisions/1/revert`, { token: by.token, headers });
    expect((await revert(stale)).body.code).toBe('precondition_failed');
    expect((await revert({}, other)).body.code).toBe('forbidden');
    const { status, body, headers } = await revert();
    expect([status, body.title, body.content]).toEqual([200, 'Notes', 'The first text.']);
    expect(headers.get('etag')).toMatch(/^"3-/);
    expect((await history('/2')).body).toMatchObject({ title: 'Renamed', content: 'The second text.' });
    expect((await revert()).body.updatedAt).toBe(body.updatedAt);
  });

  it('is visible to its author only, until it is made public', async () => {
    await edit({ content: 'The second text.' });
    for (const path of ['', '/1']) {
      expect((await history(path, null)).body.code).toBe('forbidden');
      expect((await history(path, other)).body.code).toBe('forbidden');
    }
    expect((await edit({ isHistoryPublic: true })).body.isHistoryPublic).toBe(true);
    expect((await history('/1', null)).body.content).toBe('The first text.');
    await edit({ isPublic: false });
    expect((await history('/1', null)).body.code).toBe('post_not_found');
  });

  it('shows readers only versions that were public', async () => {
    await edit({ content: 'The second text.', isHistoryPublic: true });
    await edit({ isPublic: false, content: 'Hidden with this text.' });
    await edit({ content: 'Still hidden.' });
    await edit({ isPublic: true });
    await edit({ content: 'The last text.' });
    const seenBy = async (by: Person | null) =>
      (await history('', by)).body.data.map(({ version }: { version: number }) => version);

    expect(await seenBy(author)).toEqual([5, 3, 2, 1]);
    for (const by of [other, null]) {
      expect(await seenBy(by)).toEqual([5, 2, 1]);
      expect((await history('/3', by)).body.code).toBe('revision_not_found');
      expect((await history('/1/diff?against=3', by)).body.code).toBe('revision_not_found');
      expect((await history('/1/diff?against=2', by)).status).toBe(200);
    }
  });

  it('shows readers versions that were unlisted, while the post is unlisted, too', async () => {
    await edit({ visibility: 'unlisted', isHistoryPublic: true });
    await edit({ content: 'The second text.' });
    expect((await history('', null)).body.data.map(({ version }: { version: number }) => version)).toEqual([2]);
    expect((await history('/2', other)).body.content).toBe('The first text.');
  });

  it('loses the version that its author deletes', async () => {
    await edit({ content: 'A name that should not be here.', isHistoryPublic: true });
    await edit({ content: 'The last text.' });
    const remove = (version: number, { token }: Person) =>
      app.client.delete(`/v1/posts/${id}/revisions/${version}`, { token });

    expect((await remove(2, other)).body.code).toBe('forbidden');
    expect((await remove(2, author)).status).toBe(204);
    expect((await remove(2, author)).body.code).toBe('revision_not_found');
    expect((await remove(3, author)).body.code).toBe('revision_not_found');
    expect(await versions()).toEqual([1]);
    expect((await history('/2', null)).body.code).toBe('revision_not_found');
  });

  it('is thinned to the newest fifty and the last of each day for a year, and is deleted with the post', async () => {
    const now = Date.now();
    // Versions 1 to 10: two a day, the first two more than a year ago. Versions 11 to 60: today.
    const times = Array.from({ length: 60 }, (_item, at) => {
      const daysAgo = at < 2 ? 400 : at < 10 ? 200 - Math.floor(at / 2) : 0;
      return new Date(Math.floor((now - daysAgo * DAY_MS) / DAY_MS) * DAY_MS + at);
    });
    await insertVersions(times);
    await runHandlers(app, POST_REVISED, new ObjectId(id));
    const left = [...(await versions('?limit=100'))].reverse();
    expect(left).toEqual([4, 6, 8, 10, ...Array.from({ length: 50 }, (_item, at) => at + 11)]);
    await app.client.delete(`/v1/posts/${id}`, { token: author.token });
    await runHandlers(app, POST_DELETED, new ObjectId(id), 100);
    expect(await app.db.collection<{ _id: Binary }>('revisions').countDocuments({ _id: { $gte: rowOf(0) } })).toBe(0);
  });

  it('is thinned also by an edit that does not change the text', async () => {
    await insertVersions(Array.from({ length: 74 }, () => new Date(Date.now() - 400 * DAY_MS)));
    await app.db.collection('posts').updateOne({ _id: new ObjectId(id) }, { $set: { version: 75 } });
    expect((await edit({ isHistoryPublic: true })).status).toBe(200);
    await drainTasks(app);
    expect(await versions('?limit=100')).toHaveLength(50);
  });
});

describe('a comparison that takes too long', () => {
  const app = useApp({ taskLimits: true });
  const { world } = app;

  it('does not delay other requests, and shows each text as one block', async () => {
    const lines = (seed: number) => Array.from({ length: 20_000 }, (_item, at) => `${(at * seed) % 7_919}`).join('\n');
    const by = await world.person();
    const { id } = await world.post({ by });
    for (const seed of [31, 57]) {
      const body = { content: lines(seed) };
      await app.patient.patch(`/v1/posts/${id}`, { token: by.token, body });
    }
    const answered: string[] = [];
    const diff = app.patient
      .get(`/v1/posts/${id}/revisions/2/diff`, { token: by.token })
      .finally(() => answered.push('diff'));
    const other = app.client.get('/health/live').finally(() => answered.push('other'));
    const [{ status, body }] = await Promise.all([diff, other]);
    expect([status, body.hunks.length > 0]).toEqual([200, true]);
    expect(answered).toEqual(['other', 'diff']);
  });
});
