import { type Binary, ObjectId } from 'mongodb';
import { pairId } from '../../src/common/pair-id.js';
import type { Notification } from '../../src/notifications/notification.schema.js';
import type { Bell } from '../../src/notifications/subscription.schema.js';
import type { Topic } from '../../src/common/topic.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { TaskHandlers } from '../../src/platform/work-queue/task-handlers.js';
import { TaskWorker } from '../../src/platform/work-queue/task-worker.js';
import { POST_LISTED } from '../../src/posts/posts.events.js';
import { useApp } from '../support/app.js';
import { until } from '../support/until.js';
import type { Person } from '../support/world.js';

describe('the fan-out of a new post', () => {
  // Batches of five, four a second.
  const app = useApp({ env: { CLEANUP_DELAY_MS: '0', CLEANUP_ROWS_PER_SECOND: '20' } });
  const { world } = app;
  const notifications = () => app.db.collection<Notification>('notifications');
  const addBells = async ({ _id: authorId }: Person, count: number): Promise<ObjectId[]> => {
    const readers = Array.from({ length: count }, () => new ObjectId());
    const rows = readers.map((reader): Bell => ({ _id: pairId(reader, authorId), authorId }));
    await app.db.collection<Bell>('bells').insertMany(rows);
    return readers;
  };

  it('continues where a failed attempt was', async () => {
    const author = await world.person();
    const readers = await addBells(author, 12);
    const { id } = await world.post({ by: author });
    const fanOut = app.app
      .get(TaskHandlers)
      .of(POST_LISTED.name, 'fanout')
      .find(({ name }) => name === 'notifications')!;
    const batches: (Binary | undefined)[] = [];
    const attempt = (position: unknown, endsAfter: number): Promise<unknown> =>
      fanOut.run({
        ...{ id: new ObjectId(), attempt: 1, lane: 'fanout', signal: AbortSignal.timeout(60_000) },
        ...{ payload: new ObjectId(id), position, batchSize: 5 },
        throttle: async (_, reached) => {
          batches.push(reached as Binary);
          if (batches.length === endsAfter) throw new Error('out of order');
        },
        deleteInBatches: async () => {},
      });

    await expect(attempt(undefined, 2)).rejects.toThrow('out of order');
    const before = await notifications()
      .find({ userId: { $in: readers } })
      .toArray();
    await attempt(batches[1], Infinity);

    const after = await notifications()
      .find({ userId: { $in: readers } })
      .toArray();
    expect([before.length, after.length, batches.length]).toEqual([10, 12, 3]);
    expect(after).toEqual(expect.arrayContaining(before));
    await app.db.collection('tasks').deleteMany({ topic: POST_LISTED.name });
  });

  it('delays neither other tasks nor the posts of other authors', async () => {
    const [popular, other] = await world.people(2);
    const readers = await addBells(popular, 300);
    const [reader] = await addBells(other, 1);
    await world.post({ by: popular });
    await world.post({ by: popular });
    const task: Topic<ObjectId> = { name: 'test.limit' };
    let hasRun = false;
    app.app
      .get(TaskHandlers)
      .register(task, { name: 'test', lane: 'foreground', run: async () => void (hasRun = true) });
    const countOf = (userIds: ObjectId[]) => notifications().countDocuments({ userId: { $in: userIds } });

    const stop = new AbortController();
    const work = app.app.get(TaskWorker).work(stop.signal);
    const stopped = expect(work).rejects.toThrow('seen');
    await until(async () => (await countOf(readers)) > 0 || null);
    await world.post({ by: other });
    await app.app.get(MongoService).transaction((tx) => tx.addTask(task, new ObjectId()));
    await until(async () => (hasRun && (await countOf([reader!])) === 1) || null);

    expect(await countOf(readers)).toBeLessThan(300);
    stop.abort(new Error('seen'));
    await stopped;
    // One post of the author at a time; its position is stored for the next attempt.
    const waiting = await app.db
      .collection('tasks')
      .find({ topic: POST_LISTED.name })
      .sort({ dueAt: 1 })
      .limit(2)
      .toArray();
    expect(waiting.map(({ lane, progress }) => [lane, progress?.handler])).toEqual([
      ['fanout', 'notifications'],
      ['fanout', undefined],
    ]);
  });
});
