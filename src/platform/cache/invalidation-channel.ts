import { Injectable } from '@nestjs/common';
import type { ClientSession } from 'mongodb';
import { ClusterBus } from '../cluster/bus.js';
import { MongoService } from '../mongo/mongo.service.js';
import { OutboxStream } from '../outbox/outbox-stream.js';
import type { Topic } from '../outbox/outbox-row.js';
import { Outbox } from '../outbox/outbox.js';
import type { InvalidationBus } from './response-cache.js';

/** Tags of answers that a commit made outdated. */
const CACHE_INVALIDATED: Topic<string[]> = { name: 'cache.invalidated' };

type Message = { tags: string[]; id?: string };

/** bus channel */
const CHANNEL = 'cache:invalidate';
/** far more than are under way between the two channels */
const KNOWN_LIMIT = 5_000;

/**
 * Carries invalidations. A message of the bus reaches the other processes of this host within milliseconds; the outbox row reaches
 * those of other hosts, and those of this one when the process was killed before it sent the message. Each row counts once.
 */
@Injectable()
export class InvalidationChannel implements InvalidationBus {
  private readonly known = new Set<string>();

  constructor(
    private readonly mongo: MongoService,
    private readonly outbox: Outbox,
    private readonly stream: OutboxStream,
    private readonly bus: ClusterBus,
  ) {}

  publish(tags: string[]): void {
    this.bus.publish(CHANNEL, { tags } satisfies Message);
  }

  async publishOnCommit(tags: string[], session: ClientSession, onCommit: () => void): Promise<void> {
    const id = await this.outbox.tell(session, CACHE_INVALIDATED, tags);
    this.mongo.afterCommit(session, () => {
      if (this.isNew(id)) onCommit();
      this.bus.publish(CHANNEL, { tags, id } satisfies Message);
    });
  }

  subscribe(drop: (tags: string[] | null) => void): void {
    this.bus.subscribe<Message>(CHANNEL, ({ tags, id }) => {
      if (id === undefined || this.isNew(id)) drop(tags);
    });
    this.stream.listen(CACHE_INVALIDATED, {
      onRow: (tags, id) => {
        if (this.isNew(id)) drop(tags);
      },
      onGap: () => drop(null),
    });
  }

  flush(): Promise<boolean> {
    return this.bus.flush();
  }

  private isNew(id: string): boolean {
    if (this.known.has(id)) return false;
    this.known.add(id);
    if (this.known.size > KNOWN_LIMIT) this.known.delete(this.known.values().next().value!);
    return true;
  }
}
