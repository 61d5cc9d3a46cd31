import { ObjectId } from 'mongodb';

export const OUTBOX = 'outbox';

/** What happened, and in its type what a row says about it. Each room declares its own. */
export type Topic<P> = { name: string; payload?: P };

/** `foreground`: as soon as the row is there. `background`: after the grace, when every transaction that began before it has ended. */
export type Stage = 'foreground' | 'background';

/** What a committed write left to be done. The row is removed when all of it is done. */
export type OutboxRow<P = unknown> = {
  _id: ObjectId;
  topic: string;
  payload: P;
  /** this and `retryAt` by the clock of the database */
  createdAt: Date;
  /** the pass that comes next */
  stage: Stage;
  attempts: number;
  /** not taken up before: a failed row waits, a new one may be in the hands of the request that left it */
  retryAt: Date | null;
  lastError: string | null;
};

/** What a committed write tells every process (OutboxStream). It is heard as it is committed, and goes by itself a little later. */
export type ToldRow<P = unknown> = Pick<OutboxRow<P>, '_id' | 'topic' | 'payload' | 'createdAt'> & {
  expiresAt: Date;
};

/** A row that the request which left it may finish itself (OutboxPasses.finishForeground). */
export type AddedRow = Pick<OutboxRow, '_id' | 'topic' | 'payload'>;

/** The change stream has the row from its commit; it is kept this long only for an operator who looks. */
const TOLD_FOR_MS = 60_000;

/** How long cached data is trusted after the last event that was received, in ms. */
export const TRUST_MS = 1_500;

/** Documents were written past the services: every listener has missed rows. */
export const ALL_CHANGED: Topic<null> = { name: 'database.changed' };

export function toldRow<P>({ name: topic }: Topic<P>, payload: P): ToldRow<P> {
  const now = Date.now();
  return { _id: new ObjectId(), topic, payload, createdAt: new Date(now), expiresAt: new Date(now + TOLD_FOR_MS) };
}
