import type { ObjectId } from 'mongodb';
import { SweepHandlers } from '../../src/platform/outbox/outbox-handlers.js';
import type { SweepKind } from '../../src/platform/outbox/outbox.js';
import type { TestApp } from './app.js';

/** Runs what the rooms registered for one task, both passes, twice over, as a sweeper that was killed at the end would. */
export async function runSweep(app: TestApp, kind: SweepKind, targetId: ObjectId, batchSize = 7): Promise<void> {
  const task = {
    _id: targetId,
    kind,
    targetId,
    createdAt: new Date(),
    earlyDoneAt: null,
    attempts: 0,
    retryAt: null,
    lastError: null,
  };
  const handlers = app.app.get(SweepHandlers);
  for (let times = 0; times < 2; times++) {
    for (const handler of [...handlers.of(kind, 'early'), ...handlers.of(kind, 'final')]) {
      await handler.run({
        task,
        targetId,
        batchSize,
        spend: async (rows) => {
          expect(rows).toBeLessThanOrEqual(Math.max(batchSize, 7));
        },
        deleteInBatches: async (collection, filter) =>
          (await app.db.collection(collection).deleteMany(filter)).deletedCount,
      });
    }
  }
}
