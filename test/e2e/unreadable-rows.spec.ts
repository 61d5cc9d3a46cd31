import { Binary, ObjectId } from 'mongodb';
import { DigestJob } from '../../src/notifications/mails/digest.job.js';
import { PostExportService } from '../../src/posts/post-export.service.js';
import { OwnDraftsService } from '../../src/drafts/own-drafts.service.js';
import { indexAll, useApp } from '../support/app.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';

const UNREADABLE = new Binary(Buffer.from('not compressed'));

/** Rows as a defect of the server or of a disk could leave them: readers of many rows skip them. */
describe('a row that cannot be read', () => {
  const app = useApp({ search: true, oneHost: 'reads the metrics of one process' });
  const { world } = app;
  let author: Person;
  let damaged: ObjectId;
  let healthy: string;

  const skipped = async (what: string): Promise<number> => {
    const { body } = await app.client.get<string>('/metrics');
    const line = new RegExp(`^opencanvas_rows_skipped_total\\{what="${what}".*\\} (\\d+)$`, 'm');
    return Number(line.exec(body)?.[1] ?? 0);
  };

  const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
    const found: T[] = [];
    for await (const row of rows) found.push(row);
    return found;
  };

  beforeAll(async () => {
    author = await world.person();
    damaged = new ObjectId((await world.post({ by: author, title: 'Quokka one' })).id);
    healthy = (await world.post({ by: author, title: 'Quokka two' })).id;
    await app.db
      .collection('post_bodies')
      .updateOne({ _id: damaged }, { $set: { bytes: UNREADABLE }, $unset: { text: 1 } });
  });

  it('does not stop the search index', async () => {
    await indexAll(app);
    const { body } = await app.client.get('/v1/search?q=quokka');

    expect(body.data.posts.map(({ id }: { id: string }) => id)).toEqual([healthy]);
    expect(await skipped('search: posts')).toBeGreaterThan(0);
  });

  it('is left out of an export, with the other posts and drafts in it', async () => {
    const ids = ['Draft one', 'Draft two'].map(async (title) => {
      const { body } = await app.client.post('/v1/drafts', { token: author.token, body: { title, content: title } });
      return body.id as string;
    });
    const [bad, good] = (await Promise.all(ids)) as [string, string];
    await app.db.collection('drafts').updateOne({ _id: new ObjectId(bad) }, { $set: { bytes: UNREADABLE } });
    const id = new ObjectId(author.id);
    const posts = await all(app.app.get(PostExportService).rows(id));
    const drafts = await all(app.app.get(OwnDraftsService).stream(id));

    const texts = [...posts, ...drafts].map((part) => JSON.stringify(part));
    expect(texts).toEqual([healthy, good].map((kept) => expect.stringContaining(kept)));
    // Metrics are at most a second old.
    await until(
      async () => ((await skipped('export: posts')) === 1 && (await skipped('export: drafts')) === 1) || null,
    );
  });

  it('does not stop the digests of other accounts, and is tried again after a day', async () => {
    const states = app.db.collection('notification_states');
    const other = await world.person();
    const dueAt = new Date(Date.now() - 1_000);
    const userIds = [author, other].map(({ id }) => new ObjectId(id));
    for (const [at, timeZone] of ['Nowhere/Land', 'UTC'].entries()) {
      const due = { settings: { digest: 'daily', timeZone }, nextDigestAt: dueAt };
      await states.updateOne({ _id: userIds[at]! }, { $set: due }, { upsert: true });
    }
    const times = async () =>
      (await states.find({ _id: { $in: userIds } }).toArray()).map((row) => row['nextDigestAt']);

    await app.app.get(DigestJob).run(AbortSignal.timeout(60_000));

    expect((await times()).map((time: Date) => time > dueAt)).toEqual([true, true]);
  });
});
