import { hostname } from 'node:os';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { packageVersion } from '../../config/package-version.js';
import { exportGauge } from '../prometheus/metric.js';
import type { Topic } from './outbox-row.js';
import { OutboxStream } from './outbox-stream.js';
import { Outbox } from './outbox.js';

export type Seen = {
  host: string;
  /** on the clock of its machine */
  sentAt: number;
  /** of the machine, for people; this and what follows is new: earlier versions do not tell it */
  name?: string;
  version?: string;
  /** to one member of the replica set, at most */
  connections?: number;
};

/** A host lives. It also hears this itself, and so knows up to when it has heard everything. */
export const HOST_SEEN: Topic<Seen> = { name: 'host.seen' };

const BEAT_EVERY_MS = 500;
/** A host that knows of no other tells only now and then that it lives; it answers the first sign of another one. */
const BEAT_ALONE_MS = 10_000;
/** What a host keeps is trusted for so long after the moment up to which it has heard the stream. */
export const TRUST_MS = 1_500;
/** Longer than it trusts what it keeps: a host that is not waited for any more gives nothing old as fresh. */
const GONE_AFTER_MS = 3_000;

/**
 * The hosts on one database, by what they tell through the outbox: who lives, and whether this host hears the others. Every process
 * knows it; only the one that follows the stream tells it.
 */
@Injectable()
export class Hosts implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  /** names this start of the host, in every process of it */
  readonly self: string;
  /** the other live ones, what they told and when */
  private readonly heard = new Map<string, Seen & { heardAt: number }>();
  private readonly about: { name: string; version: string; connections: number };
  /** everything told before has been heard */
  private heardUntil = performance.now();
  private readonly doubtHandlers: (() => void)[] = [];
  private beatAt = -Infinity;
  private isBeating = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly stream: OutboxStream,
    config: AppConfig,
  ) {
    this.self = config.process.hostId;
    this.about = { name: hostname(), version: packageVersion(), connections: config.mongo.hostPoolSize };
  }

  onModuleInit(): void {
    this.stream.listen(HOST_SEEN, { onRow: (seen) => this.see(seen), onGap: () => {} });
    exportGauge({
      name: 'opencanvas_other_hosts',
      help: 'Other live hosts on the same database',
      aggregator: 'max',
      read: () => this.heard.size,
    });
    exportGauge({
      name: 'opencanvas_hosts_doubt',
      help: '1 while this host does not hear the others, and gives nothing older than two seconds as fresh',
      aggregator: 'max',
      read: () => Number(this.isInDoubt),
    });
  }

  onApplicationBootstrap(): void {
    this.beat();
    this.timer = setInterval(() => this.tick(), BEAT_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** The other live hosts. */
  get others(): Seen[] {
    return [...this.heard.values()];
  }

  /** What this one tells. */
  get own(): Seen & { connections: number } {
    return { host: this.self, sentAt: machineMs(), ...this.about };
  }

  /** Called again and again while this process may not have heard what other hosts told. */
  whileInDoubt(handler: () => void): void {
    this.doubtHandlers.push(handler);
  }

  private get isInDoubt(): boolean {
    return this.heard.size > 0 && performance.now() - this.heardUntil >= TRUST_MS;
  }

  private tick(): void {
    if (this.heard.size > 0 || performance.now() - this.beatAt >= BEAT_ALONE_MS) this.beat();
    if (this.isInDoubt) for (const handle of this.doubtHandlers) handle();
  }

  private beat(): void {
    if (this.isBeating || !this.stream.isFollower) return;
    this.isBeating = true;
    this.beatAt = performance.now();
    this.outbox
      .tellNow(HOST_SEEN, this.own)
      // without a database the others hear nothing, and know what that means
      .catch(() => {})
      .finally(() => (this.isBeating = false));
  }

  private see(seen: Seen): void {
    const { host, sentAt } = seen;
    const now = performance.now();
    if (host === this.self) {
      this.heardUntil = now - (machineMs() - sentAt);
      // not by the present time: after a pause of the stream their signs of life come after this one
      for (const [other, { heardAt }] of this.heard)
        if (heardAt < this.heardUntil - GONE_AFTER_MS) this.heard.delete(other);
      return;
    }
    // alone, a host does not ask how long ago it heard itself
    if (this.heard.size === 0) this.heardUntil = now;
    const isNew = !this.heard.has(host);
    this.heard.set(host, { ...seen, heardAt: now });
    if (isNew) this.beat();
  }
}

/** The same in all processes of a machine, and never set back. */
function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
