import { setImmediate as turn } from 'node:timers/promises';
import { type ClientSession, type Db, type Document, Long } from 'mongodb';
import { BSON_TYPE, BsonFields, eachElement, int32 } from '../../common/bson-fields.js';

/** A pass over many documents, in batches. */
export type RawScan = {
  filter: Document;
  projection: Document;
  hint: Document;
  /** documents per batch; two batches are held at a time */
  batchSize: number;
  comment?: string;
};

/** Documents as they came from the server: the reply's bytes and where each document starts in them. */
export type RawBatch = { buffer: Buffer; offsets: number[] };

const CURSOR_FIELDS = new BsonFields(['id', 'firstBatch', 'nextBatch']);

/**
 * A cursor whose replies are left in BSON; the next batch is on its way while this one is worked on. The driver's cursor makes an
 * object of every reply and of every document: over 100,000 small documents this saves node 0.6 s (docs/experiments.md).
 */
export async function* scanRaw(db: Db, collection: string, scan: RawScan): AsyncGenerator<RawBatch, void, undefined> {
  const session = db.client.startSession();
  const { batchSize, comment } = scan;
  const ask = async (command: Document) => batchOf(await db.command(command, { raw: true, session }));
  let id = Long.ZERO;
  let ahead: Promise<{ id: Long; batch: RawBatch }> | undefined = ask({ find: collection, ...scan });
  try {
    while (ahead !== undefined) {
      const answer: { id: Long; batch: RawBatch } = await ahead;
      id = answer.id;
      ahead = id.isZero() ? undefined : ask({ getMore: id, collection, batchSize, ...(comment && { comment }) });
      // awaited above, after the consumer is done with this batch: until then a failure is nobody's
      ahead?.catch(() => undefined);
      // the driver writes a command to its socket some promises later: without a turn of the loop the consumer's work would come first
      await turn();
      yield answer.batch;
    }
  } finally {
    if (ahead !== undefined) await close(db, collection, session, ahead, id);
    await session.endSession();
  }
}

/** Left in the middle: the cursor would live for ten minutes more. */
async function close(
  db: Db,
  collection: string,
  session: ClientSession,
  ahead: Promise<{ id: Long }>,
  known: Long,
): Promise<void> {
  // a session takes one command at a time
  const id = await ahead.then(
    (answer) => answer.id,
    () => known,
  );
  if (id.isZero()) return;
  await db.command({ killCursors: collection, cursors: [id] }, { session }).catch(() => undefined);
}

function batchOf(answer: Document): { id: Long; batch: RawBatch } {
  const cursor = answer['cursor'] as Uint8Array;
  const buffer = Buffer.from(cursor.buffer, cursor.byteOffset, cursor.byteLength);
  CURSOR_FIELDS.read(buffer, 0);
  const [idAt, firstAt, nextAt] = CURSOR_FIELDS.offsets as unknown as [number, number, number];
  const id = new Long(int32(buffer, idAt), int32(buffer, idAt + 4));
  const offsets: number[] = [];
  const array = CURSOR_FIELDS.types[1] === BSON_TYPE.array ? firstAt : nextAt;
  eachElement(buffer, array, (_type, at) => offsets.push(at));
  return { id, batch: { buffer, offsets } };
}
