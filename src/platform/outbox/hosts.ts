import { hostname } from 'node:os';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { within } from '../../common/within.js';
import { AppConfig } from '../../config/app-config.js';
import { fullVersion } from '../../config/package-version.js';
import { secretFingerprint } from '../../config/token-secrets.js';
import { ClusterBus } from '../cluster/bus.js';
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
  /** fingerprint of the secret that it signs with */
  secret?: string;
};

/** A host lives. It also hears this itself, and so knows up to when it has heard everything. */
export const HOST_SEEN: Topic<Seen> = { name: 'host.seen' };

const BEAT_EVERY_MS = 500;
/** A host that knows of no other tells only now and then that it lives; it responds the first sign of another one. */
const BEAT_ALONE_MS = 10_000;
/** Cached responses are fresh for this long after the last event that was read. */
export const TRUST_MS = 1_500;
/** Longer than it trusts what it keeps: a host that is not waited for any more gives nothing old as fresh. */
const GONE_AFTER_MS = 3_000;
/** Without the process that follows the stream, the others of a host that starts continue after this, in doubt. */
const START_WAIT_MS = 10_000;
/** bus channels: a process that starts asks the others of its host which hosts they know; the first response is enough */
const ASKED = 'hosts:asked';
const KNOWN = 'hosts:known';

/**
 * The hosts on one database, by what they tell through the outbox: who lives, and whether this host hears the others. Every process
 * knows it; only the one that follows the stream tells it. What a process has not heard itself, it learns from the others of its host:
 * the one that follows the stream may stand still.
 */
@Injectable()
export class Hosts implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  /** names this start of the host, in every process of it */
  readonly self: string;
  /** the other live ones, what they told and when */
  private readonly heard = new Map<string, Seen & { heardAt: number }>();
  private readonly about: { name: string; version: string; connections: number; secret: string };
  /** everything told before has been heard */
  private heardUntil = performance.now();
  private readonly informed: Promise<void>;
  /** it has heard its own host, or what another process of it knows: until then there may be any number of others */
  private isInformed = false;
  private inform: () => void = () => {};
  private readonly doubtHandlers: (() => void)[] = [];
  private beatAt = -Infinity;
  private isBeating = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly outbox: Outbox,
    private readonly stream: OutboxStream,
    private readonly bus: ClusterBus,
    config: AppConfig,
  ) {
    this.self = config.process.hostId;
    const secret = secretFingerprint(config.auth.tokenSecrets[0]);
    this.about = { name: hostname(), version: fullVersion(), connections: config.mongo.hostPoolSize, secret };
    this.informed = new Promise((resolve) => {
      this.inform = () => {
        this.isInformed = true;
        resolve();
      };
    });
  }

  onModuleInit(): void {
    // the stream begins: from here on this host hears itself
    this.stream.listen(HOST_SEEN, { onRow: (seen) => this.see(seen), onGap: () => this.beat() });
    this.bus.subscribe(ASKED, () => {
      if (this.isInformed) this.bus.publish(KNOWN, this.others);
    });
    this.bus.subscribe<Seen[]>(KNOWN, (others) => this.learn(others));
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

  /** What listens, does so after this: a response given before others know this host might outlive a withdrawal there. */
  async onApplicationBootstrap(): Promise<void> {
    // a command, say: nobody tells it anything
    if (this.bus.isAlone && !this.stream.isFollower) this.inform();
    this.bus.publish(ASKED, null);
    this.timer = setInterval(() => this.tick(), BEAT_EVERY_MS).unref();
    await this.areKnown(START_WAIT_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Whether this process knows the other hosts; just after its start it waits for that, so long at most. */
  async areKnown(withinMs: number): Promise<boolean> {
    if (!this.isInformed) await within(withinMs, this.informed);
    return this.isInformed;
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
    return (this.heard.size > 0 || !this.isInformed) && performance.now() - this.heardUntil >= TRUST_MS;
  }

  private tick(): void {
    const isDue = this.heard.size > 0 || !this.isInformed || performance.now() - this.beatAt >= BEAT_ALONE_MS;
    if (isDue) this.beat();
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
      this.inform();
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

  /** From another process of this host, which may have heard nothing for a while: what it knows says nothing about how fresh it is. */
  private learn(others: Seen[]): void {
    if (this.isInformed) return;
    for (const other of others) this.heard.set(other.host, { ...other, heardAt: performance.now() });
    this.inform();
  }
}

/** The same in all processes of a machine, and never set back. */
function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
