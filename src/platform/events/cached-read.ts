import type { Topic } from '../../common/topic.js';
import type { ClusterBus } from '../cluster/bus.js';
import type { Transaction } from '../mongo/transaction.js';
import type { EventStream } from './event-stream.js';

/**
 * A value that this process reads once, and again after a change by any process of any host. Other processes use the earlier value until the
 * event arrives, which takes milliseconds.
 */
export class CachedRead<T> {
  private current: Promise<T> | undefined;

  /** @param topic of changes; each has one cached value */
  constructor(
    private readonly topic: Topic<null>,
    stream: EventStream,
    private readonly bus: ClusterBus,
    private readonly read: () => Promise<T>,
  ) {
    const clear = (): void => this.clear();
    bus.subscribe<null>(topic.name, clear);
    stream.subscribe(topic, { onEvent: clear, onGap: clear });
  }

  /** Joins the transaction of a change. */
  invalidate(tx: Transaction): void {
    tx.publish(this.topic, null);
    tx.afterCommit(() => {
      this.clear();
      this.bus.publish(this.topic.name, null);
    });
  }

  /** Concurrent calls share one read. One that began before a change is not cached. */
  get(): Promise<T> {
    if (this.current !== undefined) return this.current;
    const reading = this.read();
    this.current = reading;
    reading.catch(() => {
      if (this.current === reading) this.clear();
    });
    return reading;
  }

  private clear(): void {
    this.current = undefined;
  }
}
