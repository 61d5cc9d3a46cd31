import { Logger } from '@nestjs/common';
import { type Document, MongoServerError } from 'mongodb';
import { counter } from '../prometheus/metric.js';

const BAD_VALUE = 2;
const SAY_AGAIN_MS = 60_000;

const logger = new Logger('MissingIndex');
/** by index: when it was said last */
const said = new Map<string, number>();
const reads = counter({
  name: 'opencanvas_mongo_missing_index_reads_total',
  help: 'Reads whose index is missing: answered without it, slowly',
  labelNames: ['collection', 'index'],
});

/** The server knows no index like the `hint` of the read, or is still building it. */
export function isHintMissing(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === BAD_VALUE && error.message.includes('hint provided');
}

/** The same read by whatever index the server finds: slow is better than none. Counted, and said once a minute for each index. */
export function withoutHint({ hint, ...command }: Document): Document {
  const collection = String(command['find'] ?? command['aggregate']);
  const index = JSON.stringify(hint);
  reads.inc({ collection, index });
  const name = `${collection} ${index}`;
  if (performance.now() - (said.get(name) ?? -Infinity) >= SAY_AGAIN_MS) {
    said.set(name, performance.now());
    logger.error(
      `${collection} has no index ${index}, so reads that need it are slow: \`npm run cli -- indexes create\` builds it`,
    );
  }
  return command;
}
