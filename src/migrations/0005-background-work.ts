import type { Document, Filter } from 'mongodb';
import type { GetService, Migration, Row } from '../platform/migrations/migration.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { TaskHandlers } from '../platform/work-queue/task-handlers.js';

/** Topics of 0.1.0 with the same payloads since, and their names now. */
const TOPICS: Record<string, string> = {
  ...Object.fromEntries(
    [
      ...['account.ended', 'author.changed', 'collection.deleted', 'comment.deleted', 'draft.removed', 'draft.revised'],
      ...['password-reset.asked', 'post.deleted', 'post.listed', 'post.revised'],
    ].map((topic) => [topic, topic]),
  ),
  'home.opened': 'timeline.opened',
  'home.closed': 'timeline.closed',
  'home.follow': 'timeline.follow',
};

/** 0.2.0 has one queue of tasks, where 0.1.0 had an outbox and a queue of mails, and polled drafts and exports. */
export const BACKGROUND_WORK: Migration = {
  number: 5,
  name: 'background work',
  summary: 'Moves pending work of 0.1.0 to the task queue.',
  oldestProgram: 5,
  steps: (get) => [
    {
      collection: 'outbox',
      pending: { stage: { $exists: true }, topic: { $in: Object.keys(TOPICS) } },
      into: 'tasks',
      change: (rows) =>
        rows.map(({ _id, topic: earlier, payload, stage }) => {
          const topic = TOPICS[earlier as string]!;
          const lane = stage === 'background' ? 'background' : get(TaskHandlers).firstLane(topic);
          return addTask({ _id }, { topic, payload, lane, at: new Date() });
        }),
    },
    {
      collection: 'mail_queue',
      pending: { state: 'waiting' },
      into: 'tasks',
      change: (rows) =>
        rows.map(({ _id, recipient, sealed, ifTooMany, goodUntil, nextAt }) => {
          const payload = { recipient, sealed, ifTooMany, goodUntil };
          return addTask({ _id }, { topic: 'mail', payload, lane: get(TaskHandlers).firstLane('mail'), at: nextAt });
        }),
    },
    {
      collection: 'drafts',
      pending: { state: 'scheduled' },
      into: 'tasks',
      change: (rows) => addMissing(rows, 'draft.due', 'publishAt', get),
    },
    {
      collection: 'exports',
      pending: { state: 'waiting' },
      into: 'tasks',
      change: (rows) => addMissing(rows, 'export.requested', 'createdAt', get),
    },
    {
      collection: 'exports',
      pending: {},
      into: 'tasks',
      change: (rows) => addMissing(rows, 'export.expired', 'expiresAt', get),
    },
  ],
  drops: ['outbox', 'mail_queue', 'score_marks'],
};

/** Adds a task at `time` for each row that has none. */
async function addMissing(rows: Row[], topic: string, time: string, get: GetService) {
  const ids = rows.map(({ _id }) => _id);
  const tasks = get(MongoService).db.collection('tasks');
  const existing = await tasks.find({ topic, payload: { $in: ids } }, { projection: { payload: 1 } }).toArray();
  const have = new Set(existing.map(({ payload }) => String(payload)));
  const lane = get(TaskHandlers).firstLane(topic);
  return rows
    .filter(({ _id }) => !have.has(String(_id)))
    .map((row) => addTask({ topic, payload: row._id }, { topic, payload: row._id, lane, at: row[time] }));
}

type NewTask = { topic: unknown; payload: unknown; lane: unknown; at: unknown };

/** @param key selects the task if an interrupted run has added it */
function addTask(key: Filter<Document>, { at, ...task }: NewTask) {
  const added = { ...task, dueAt: at, runAt: at, attempts: 0, lastError: null };
  return { updateOne: { filter: key, update: { $setOnInsert: added }, upsert: true } };
}
