import { Logger } from '@nestjs/common';
import { BSON, type Db, type Document, MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { BsonFields, eachElement } from '../../common/bson-fields.js';
import { RETRYABLE_READ_CODES } from '../../common/database-outage.js';
import { counter } from '../prometheus/metric.js';
import type { ReadTarget } from './secondary-reads.js';

/** A bounded read: `limit` rows in a single batch. */
export type RawFind = {
  filter: Document;
  projection: Document;
  sort?: Document;
  hint?: Document;
  skip?: number;
  limit: number;
};

/** Documents as raw BSON: the reply and the offset of each document. */
export type RawDocuments = { buffer: Buffer; offsets: number[] };

/** A bounded index range as a part of `$lookup`. The room of its collection defines it, and another one reads several in one command. */
export type LookupRange = { from: string; pipeline: Document[] };

const BAD_VALUE = 2;
const LOG_AGAIN_MS = 60_000;

const logger = new Logger('MissingIndex');
/** the time of the last log line by index */
const loggedAt = new Map<string, number>();
const slowReads = counter({
  name: 'opencanvas_mongo_missing_index_reads_total',
  help: 'Slow reads because their index is missing',
  labelNames: ['collection', 'index'],
});

const reply = new BsonFields(['firstBatch']);

/**
 * Runs a find as one command and returns raw BSON: a page of 21 cards costs 290 µs of CPU, instead of 490 with the driver's cursor
 * (docs/experiments.md). Retries once after a lost connection or a failover, like the driver's reads.
 */
export function findRaw(db: Db, collection: string, find: RawFind, target?: ReadTarget): Promise<RawDocuments> {
  return read(db, { find: collection, ...find, batchSize: find.limit, singleBatch: true }, target);
}

/** As `findRaw`, for an aggregation that ends with a $limit of at most `limit`. */
export function aggregateRaw(
  db: Db,
  collection: string,
  { pipeline, hint, limit }: { pipeline: Document[]; hint: Document; limit: number },
  target?: ReadTarget,
): Promise<RawDocuments> {
  // One row more than the result lets the server detect the last batch and close the cursor.
  return read(db, { aggregate: collection, pipeline, hint, cursor: { batchSize: limit + 1 } }, target);
}

export function decodeAll<Row>({ buffer, offsets }: RawDocuments): Row[] {
  return offsets.map((index) => BSON.deserialize(buffer, { allowObjectSmallerThanBufferSize: true, index }) as Row);
}

async function read(db: Db, find: Document, target?: ReadTarget): Promise<RawDocuments> {
  const command =
    target === undefined ? find : { ...find, readConcern: target.readConcern, maxTimeMS: target.maxTimeMS };
  const options = { raw: true, session: target?.session, readPreference: target?.readPreference };
  try {
    return documentsOf(await db.command(command, options));
  } catch (error) {
    if (isHintMissing(error)) return documentsOf(await db.command(withoutHint(command), options));
    if (!mayRetry(error)) throw error;
    return documentsOf(await db.command(command, options));
  }
}

function documentsOf(document: Document): RawDocuments {
  const cursor = document['cursor'] as Uint8Array;
  const buffer = Buffer.from(cursor.buffer, cursor.byteOffset, cursor.byteLength);
  reply.read(buffer, 0);
  const offsets: number[] = [];
  eachElement(buffer, reply.offsets[0]!, (_type, at) => offsets.push(at));
  return { buffer, offsets };
}

/** Whether the index of `hint` does not exist or is still being built. */
function isHintMissing(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === BAD_VALUE && error.message.includes('hint provided');
}

/** Repeats the read without `hint`, because a slow response is better than none. Counts the read, and logs once a minute per index. */
function withoutHint({ hint, ...command }: Document): Document {
  const collection = String(command['find'] ?? command['aggregate']);
  const index = JSON.stringify(hint);
  slowReads.inc({ collection, index });
  const name = `${collection} ${index}`;
  if (performance.now() - (loggedAt.get(name) ?? -Infinity) >= LOG_AGAIN_MS) {
    loggedAt.set(name, performance.now());
    const build = '`npm run cli -- migrate up` builds it';
    logger.error(`${collection} has no index ${index}, so reads that need it are slow: ${build}`);
  }
  return command;
}

function mayRetry(error: unknown): boolean {
  // A retry would only time out again.
  if (error instanceof MongoNetworkTimeoutError) return false;
  if (error instanceof MongoNetworkError) return true;
  return error instanceof MongoServerError && typeof error.code === 'number' && RETRYABLE_READ_CODES.has(error.code);
}
