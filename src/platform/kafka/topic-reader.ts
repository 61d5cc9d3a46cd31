import type { Consumer } from '@platformatic/kafka';
import { within } from '../../common/within.js';
import type { AppConfig } from '../../config/app-config.js';

export type KafkaTarget = NonNullable<AppConfig['events']['kafka']>;

export type Partition = {
  /** of the topic and its partition; a topic that is created again has other ids */
  id: string;
  index: number;
  /** the broker that serves it */
  leader: number;
};

export type TopicMessage = {
  partition: string;
  offset: number;
  /** ms since the epoch */
  timestamp: number;
  value: Buffer | null;
};

/** The offset of the next fetch, and the number of messages from there on. */
export type Position = { offset: number; behind: number };

/** `next` by partition. */
export type Fetched = { messages: TopicMessage[]; next: Map<string, Position> };

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 500;
/** of one fetch from one broker; a single batch of a producer may be larger (`max.message.bytes` of the topic) */
const FETCH_BYTES = 262_144;
const IDLE_WAIT_MS = 500;
/** attributes of a batch: its records have the time of the broker; it contains transaction markers */
const LOG_APPEND_TIME = 0x08;
const CONTROL = 0x20;
const EARLIEST = -2n;
const LATEST = -1n;

/**
 * Reads a topic at offsets that its caller stores, without a consumer group. It never repeats a request: close it after an error. It holds
 * at most one response of each broker.
 */
export class TopicReader {
  private wasBusy = false;

  private constructor(
    private readonly client: Consumer,
    private readonly topic: string,
  ) {}

  /** Connects with the first request. */
  static async open({ brokers, topic, isEncrypted, login }: KafkaTarget): Promise<TopicReader> {
    const { Consumer } = await import('@platformatic/kafka');
    const client = new Consumer({
      clientId: 'opencanvas',
      // the client requires a name; it never joins a group
      groupId: 'opencanvas',
      bootstrapBrokers: brokers,
      retries: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      ...(isEncrypted && { tls: {}, tlsServerName: true }),
      ...(login !== undefined && { sasl: login }),
    });
    // a second error of a connection would have no listener, and end the process
    client.connections.on('connecting', ({ connection }) => connection.on('error', () => {}));
    return new TopicReader(client, topic);
  }

  /** Cached for five seconds. @throws while any partition has no leader, because the client then returns no metadata of the topic */
  async partitions(): Promise<Partition[]> {
    const { topics } = await this.client.metadata({ topics: [this.topic] });
    const { id, partitions } = topics.get(this.topic)!;
    return partitions.map(({ leader }, index) => ({ id: `${id}:${index}`, index, leader }));
  }

  /** The offsets of the stored messages, in the order of partitions; `end` is that of the next message. */
  async ranges(): Promise<{ begin: number; end: number }[]> {
    const offsetsAt = async (timestamp: bigint) =>
      (await this.client.listOffsets({ topics: [this.topic], timestamp })).get(this.topic)!;
    const [begins, ends] = await Promise.all([offsetsAt(EARLIEST), offsetsAt(LATEST)]);
    return begins.map((begin, index) => ({ begin: Number(begin), end: Number(ends[index]!) }));
  }

  /** Waits for half a second if there are no new messages. */
  async fetch(partitions: Partition[], positions: ReadonlyMap<string, Position>): Promise<Fetched> {
    const leaders = new Set(partitions.map(({ leader }) => leader));
    // a busy reader does not wait for brokers without new messages
    const maxWaitTime = this.wasBusy ? 0 : IDLE_WAIT_MS;
    const fetched: Fetched = { messages: [], next: new Map() };
    const asked = [...leaders].map(async (node) => {
      const led = partitions.filter(({ leader }) => leader === node);
      const topics = led.map((partition) => fetchOf(partition, positions.get(partition.id)!.offset));
      const { responses } = await this.client.fetch({ node, topics, minBytes: 1, maxBytes: FETCH_BYTES, maxWaitTime });
      for (const { topicId, partitions: answers } of responses)
        for (const { partitionIndex, records = [], highWatermark } of answers) {
          const id = `${topicId}:${partitionIndex}`;
          const offset = take(id, positions.get(id)!.offset, records, fetched.messages);
          fetched.next.set(id, { offset, behind: Math.max(0, Number(highWatermark) - offset) });
        }
    });
    await Promise.all(asked);
    this.wasBusy = fetched.messages.length > 0;
    return fetched;
  }

  /** Requests in flight fail. Closing a connection to an unreachable host may take longer, and no caller waits for it. */
  async close(): Promise<void> {
    const closing = this.client.close().catch(() => {});
    await within(CLOSE_TIMEOUT_MS, closing);
  }
}

function fetchOf({ id, index: partition }: Partition, from: number) {
  const rest = { currentLeaderEpoch: -1, lastFetchedEpoch: -1, partitionMaxBytes: FETCH_BYTES };
  return { topicId: id.slice(0, id.lastIndexOf(':')), partitions: [{ partition, fetchOffset: BigInt(from), ...rest }] };
}

type Batches = NonNullable<
  Awaited<ReturnType<Consumer['fetch']>>['responses'][number]['partitions'][number]['records']
>;

/** Adds the messages of a partition from an offset on; returns the offset after them. Brokers return whole batches. */
function take(partition: string, from: number, batches: Batches, messages: TopicMessage[]): number {
  let next = from;
  for (const { firstOffset, lastOffsetDelta, firstTimestamp, maxTimestamp, attributes, records } of batches) {
    const first = Number(firstOffset);
    next = Math.max(next, first + lastOffsetDelta + 1);
    if ((attributes & CONTROL) !== 0) continue;
    for (const { offsetDelta, timestampDelta, value } of records) {
      const offset = first + offsetDelta;
      if (offset < from) continue;
      const sentAt = (attributes & LOG_APPEND_TIME) !== 0 ? maxTimestamp : firstTimestamp + timestampDelta;
      messages.push({ partition, offset, timestamp: Number(sentAt), value });
    }
  }
  return next;
}
