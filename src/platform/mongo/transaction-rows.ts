import type { ObjectId } from 'mongodb';

/** What a task shares with others: the account that receives it, the host that it calls, and what caused it. */
export type TaskKey = `${'account' | 'host' | 'cause'}:${string}`;

/** The lanes of the work queue. Their settings are in work-queue/lanes.ts. */
export type Lane =
  | ('foreground' | 'fanout' | 'background' | 'long')
  | ('push' | 'pushSlow' | 'webhook' | 'webhookSlow' | 'mail' | 'mailBulk');

export type TaskOptions<P> = {
  /** time reserved for the caller to run the task (TaskRunner.runInline), before the worker does */
  reservedMs?: number;
  /** time of a scheduled task; not for the background lane */
  runAt?: Date;
  /** what the task shares places of its lane with; by default its payload, if that is an id */
  keysOf?: (payload: P) => TaskKey[];
  /** the lane for tasks that start apart from those of the topic's first lane, and run the same handlers */
  lane?: Lane;
};

export type NewTask<P = unknown> = { _id: ObjectId; topic: string; payload: P; options: TaskOptions<P> };

export type NewEvent<P = unknown> = { _id: ObjectId; topic: string; payload: P };

/**
 * The key of a request in the message to the writer process: the row's id, the ids of 0.1.0, and a hash of the body; all base64.
 * @field isSecret the response is stored encrypted
 */
export type IdempotencyKey = { id: string; earlierIds: string[]; fingerprint: string; isSecret?: boolean };

/** The first response to a request with a key. Its body becomes JSON. */
export type NewResponse = {
  key: IdempotencyKey;
  response: { status: number; headers: Record<string, string>; body: unknown };
};
