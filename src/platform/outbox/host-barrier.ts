import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import { within } from '../../common/within.js';
import { ClusterBus } from '../cluster/bus.js';
import { MongoService } from '../mongo/mongo.service.js';
import { Hosts } from './hosts.js';
import { barrierSeconds, unheardTotal } from './outbox-metrics.js';
import { OUTBOX, type ToldRow, type Topic } from './outbox-row.js';
import { OutboxStream } from './outbox-stream.js';
import { Outbox } from './outbox.js';

/** A host waits until the others have heard all that was committed before. */
const HOST_ASKS: Topic<{ host: string }> = { name: 'host.asks' };

const WAIT_MS = 300;
const LOOK_AGAIN_MS = 5;

/**
 * Whether the other hosts have heard: a row of the outbox asks, and each of them writes its id into it when all its processes have
 * handled what came before.
 */
@Injectable()
export class HostBarrier implements OnModuleInit {
  private readonly logger = new Logger('HostBarrier');
  private readonly asked: ObjectId[] = [];
  private isAnswering = false;

  constructor(
    private readonly mongo: MongoService,
    private readonly outbox: Outbox,
    private readonly stream: OutboxStream,
    private readonly hosts: Hosts,
    private readonly bus: ClusterBus,
  ) {}

  onModuleInit(): void {
    this.stream.listen(HOST_ASKS, { onRow: ({ host }, id) => this.hearQuestion(host, id), onGap: () => {} });
  }

  /**
   * Resolves when no live host gives out what was withdrawn before, or when the slowest has not said so in time (300 ms).
   * @returns milliseconds; undefined when there is no other host, and nothing to do
   */
  async settled(): Promise<number | undefined> {
    const startedAt = performance.now();
    const areKnown = await this.hosts.areKnown(WAIT_MS);
    const others = this.hosts.others.map(({ host }) => host);
    if (areKnown && others.length === 0) return undefined;
    const leftMs = startedAt + WAIT_MS - performance.now();
    const isHeard = areKnown && (await within(leftMs, this.ask(others)).catch(() => false));
    if (isHeard !== true) unheardTotal.inc();
    const ms = performance.now() - startedAt;
    barrierSeconds.observe(ms / 1_000);
    return ms;
  }

  private async ask(others: string[]): Promise<boolean> {
    const until = performance.now() + WAIT_MS;
    const _id = await this.outbox.tellNow(HOST_ASKS, { host: this.hosts.self });
    while (performance.now() < until) {
      await sleep(LOOK_AGAIN_MS);
      const row = await this.rows.findOne({ _id }, { projection: { heardBy: 1 } });
      if (others.every((other) => row?.heardBy?.includes(other) === true)) return true;
    }
    return false;
  }

  private hearQuestion(host: string, id: string): void {
    if (host === this.hosts.self || !this.stream.isFollower) return;
    this.asked.push(ObjectId.createFromHexString(id));
    if (!this.isAnswering) void this.answer();
  }

  /** Resolves when every process of this host has received its messages. Concurrent calls share one round. */
  private async answer(): Promise<void> {
    this.isAnswering = true;
    try {
      while (this.asked.length > 0) {
        const ids = this.asked.splice(0);
        if (!(await this.bus.flush(WAIT_MS))) continue;
        // a response that is lost makes one withdrawal wait longer
        const options = { writeConcern: { w: 1, journal: false } };
        await this.rows.updateMany({ _id: { $in: ids } }, { $addToSet: { heardBy: this.hosts.self } }, options);
      }
    } catch (error) {
      this.logger.warn(`another host was not told what this one has heard: ${String(error)}`);
    } finally {
      this.isAnswering = false;
    }
  }

  private get rows(): Collection<ToldRow> {
    return this.mongo.collection<ToldRow>(OUTBOX);
  }
}
