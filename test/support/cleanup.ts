import { ObjectId } from 'mongodb';
import { TaskHandlers } from '../../src/platform/work-queue/task-handlers.js';
import type { Topic } from '../../src/common/topic.js';
import type { TestApp } from './app.js';

/** Runs both passes of a topic's handlers twice, like a second worker after one that was killed at the end. */
export async function runHandlers(
  app: TestApp,
  { name }: Topic<ObjectId>,
  payload: ObjectId,
  batchSize = 7,
): Promise<void> {
  const handlers = app.app.get(TaskHandlers);
  for (let times = 0; times < 2; times++) {
    for (const handler of [...handlers.of(name, 'foreground'), ...handlers.of(name, 'background')]) {
      await handler.run({
        ...{ id: new ObjectId(), attempt: 1, lane: 'foreground', signal: AbortSignal.timeout(60_000) },
        payload,
        batchSize,
        throttle: async (rows) => {
          expect(rows).toBeLessThanOrEqual(Math.max(batchSize, 7));
        },
        deleteInBatches: async (collection, filter) => {
          await app.db.collection(collection).deleteMany(filter);
        },
      });
    }
  }
}
