import type { Collection, ObjectId } from 'mongodb';
import type { MongoService } from '../mongo/mongo.service.js';
import { OUTBOX, type OutboxRow } from './outbox-row.js';

type SweepTask = Omit<OutboxRow, 'topic' | 'payload' | 'stage'> & {
  kind: keyof typeof TOPICS;
  targetId: ObjectId;
  earlyDoneAt: Date | null;
};

const TOPICS = {
  post: 'post.deleted',
  comment: 'comment.deleted',
  account: 'account.ended',
  'author-snapshot': 'author.changed',
} as const;
const BATCH = 500;

/** Moves what a version before the outbox left to be done in `sweep_tasks`. */
export async function adoptSweepTasks(mongo: MongoService): Promise<void> {
  const tasks: Collection<SweepTask> = mongo.collection('sweep_tasks');
  const outbox: Collection<OutboxRow> = mongo.collection(OUTBOX);
  while ((await tasks.findOne()) !== null) {
    await mongo.transaction(async (session) => {
      const batch = await tasks.find({}, { session }).limit(BATCH).toArray();
      if (batch.length === 0) return;
      const rows = batch.map(({ kind, targetId: payload, earlyDoneAt, ...rest }): OutboxRow => {
        return { ...rest, topic: TOPICS[kind], payload, stage: earlyDoneAt === null ? 'foreground' : 'background' };
      });
      await outbox.insertMany(rows, { session });
      await tasks.deleteMany({ _id: { $in: batch.map(({ _id }) => _id) } }, { session });
    });
  }
}
