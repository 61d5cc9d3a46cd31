import { Injectable } from '@nestjs/common';
import type { ClientSession } from 'mongodb';
import { BoundedSet } from '../../common/bounded.js';
import { ClusterBus } from '../cluster/bus.js';
import { MongoService } from '../mongo/mongo.service.js';
import { EventStream } from '../events/event-stream.js';
import type { Topic } from '../events/topic.js';
import { EventPublisher } from '../events/event-publisher.js';

/** Tags of responses that a commit has outdated. */
export const CACHE_INVALIDATED: Topic<string[]> = { name: 'cache.invalidated' };

type Message = { tags: string[]; id?: string };

/** bus channel */
const CHANNEL = 'cache:invalidate';
/** far more than can be in transit between the two channels */
const KNOWN_LIMIT = 5_000;

/**
 * Carries invalidations: to the other processes of this host over the bus, within milliseconds; to other hosts as an event, which
 * also reaches this host when the process was killed before it sent the message. Each row counts once.
 */
@Injectable()
export class InvalidationChannel {
  private readonly known = new BoundedSet<string>(KNOWN_LIMIT);

  constructor(
    private readonly mongo: MongoService,
    private readonly events: EventPublisher,
    private readonly stream: EventStream,
    private readonly bus: ClusterBus,
  ) {}

  /** To the other processes of this host. */
  publish(tags: string[]): void {
    this.bus.publish(CHANNEL, { tags } satisfies Message);
  }

  /** Joins the transaction: its commit calls `onCommit` and publishes to all processes of all hosts. */
  async publishOnCommit(tags: string[], session: ClientSession, onCommit: () => void): Promise<void> {
    const id = await this.events.publish(session, CACHE_INVALIDATED, tags);
    this.mongo.afterCommit(session, () => {
      if (this.isNew(id)) onCommit();
      this.bus.publish(CHANNEL, { tags, id } satisfies Message);
    });
  }

  /** @param drop gets null when some invalidations may have been missed */
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
    if (this.known.has(id)) return false;
    this.known.add(id);
    return true;
  }
}
