import { Injectable } from '@nestjs/common';
import type { ClientSession } from 'mongodb';
import { BoundedSet } from '../../common/bounded.js';
import { ClusterBus } from '../cluster/bus.js';
import { MongoService } from '../mongo/mongo.service.js';
import { EventStream } from '../events/event-stream.js';
import type { Topic } from '../events/topic.js';
import { EventPublisher } from '../events/event-publisher.js';

/** The event with the tags that a commit has invalidated. */
export const CACHE_INVALIDATED: Topic<string[]> = { name: 'cache.invalidated' };

type Message = { tags: string[]; id?: string };

/** bus channel */
const CHANNEL = 'cache:invalidate';
/** a limit far above the number of messages in transit on both channels */
const MAX_RECEIVED_IDS = 5_000;

/**
 * Distributes invalidations over the bus to this host's processes, within milliseconds, and as an event to all hosts, including this one
 * in case the process was killed before it sent the message. The receiver ignores duplicates.
 */
@Injectable()
export class InvalidationChannel {
  private readonly receivedIds = new BoundedSet<string>(MAX_RECEIVED_IDS);

  constructor(
    private readonly mongo: MongoService,
    private readonly events: EventPublisher,
    private readonly stream: EventStream,
    private readonly bus: ClusterBus,
  ) {}

  /** Sends tags to the other processes of this host only. */
  publish(tags: string[]): void {
    this.bus.publish(CHANNEL, { tags } satisfies Message);
  }

  /** Publishes tags to all processes of all hosts when the transaction commits. Calls `onCommit` in this process. */
  async publishOnCommit(tags: string[], session: ClientSession, onCommit: () => void): Promise<void> {
    const id = await this.events.publish(session, CACHE_INVALIDATED, tags);
    this.mongo.afterCommit(session, () => {
      if (this.isNew(id)) onCommit();
      this.bus.publish(CHANNEL, { tags, id } satisfies Message);
    });
  }

  /** @param drop receives tags, or null if this process may have missed invalidations */
  subscribe(drop: (tags: string[] | null) => void): void {
    this.bus.subscribe<Message>(CHANNEL, ({ tags, id }) => {
      if (id === undefined || this.isNew(id)) drop(tags);
    });
    this.stream.subscribe(CACHE_INVALIDATED, {
      onEvent: (tags, id) => {
        if (this.isNew(id)) drop(tags);
      },
      onGap: () => drop(null),
    });
  }

  private isNew(id: string): boolean {
    if (this.receivedIds.has(id)) return false;
    this.receivedIds.add(id);
    return true;
  }
}
