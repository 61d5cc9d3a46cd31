import { Injectable } from '@nestjs/common';
import { BoundedSet } from '../../common/bounded.js';
import { ClusterBus } from '../cluster/bus.js';
import { MongoService } from '../mongo/mongo.service.js';
import { EventStream } from '../events/event-stream.js';
import type { Topic } from '../../common/topic.js';

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
    private readonly stream: EventStream,
    private readonly bus: ClusterBus,
  ) {}

  /** Sends tags to the other processes of this host only. */
  publish(tags: string[]): void {
    this.bus.publish(CHANNEL, { tags } satisfies Message);
  }

  /** @param drop receives tags, or null if this process may have missed invalidations */
  subscribe(drop: (tags: string[] | null) => void): void {
    this.mongo.completion.invalidate = (tags, tx) => {
      const id = tx.publish(CACHE_INVALIDATED, tags)._id.toHexString();
      tx.afterCommit(() => {
        if (this.isNew(id)) drop(tags);
        this.bus.publish(CHANNEL, { tags, id } satisfies Message);
      });
    };
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
