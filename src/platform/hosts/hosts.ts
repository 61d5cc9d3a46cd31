import { hostname } from 'node:os';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { clockOffsetMs } from '../../common/clock-offset.js';
import { within } from '../../common/within.js';
import { AppConfig } from '../../config/app-config.js';
import { fullVersion } from '../../config/package-version.js';
import { secretFingerprint } from '../../config/token-secrets.js';
import { FORMAT } from '../mongo/format/database-format.js';
import { MongoService } from '../mongo/mongo.service.js';
import { EVENTS, type StoredEvent } from '../events/event.schema.js';
import type { Topic } from '../../common/topic.js';
import { EventStream } from '../events/event-stream.js';
import { EventPublisher } from '../events/event-publisher.js';

/**
 * `format`: of its program, absent before 0.3.0; `connections`: the maximum to one member of the replica set; `secret`: the fingerprint of
 * its signing secret
 */
export type Host = {
  host: string;
  name: string;
  version: string;
  format?: number;
  connections: number;
  secret: string;
};
const HOST_SEEN: Topic<Host> = { name: 'host.seen' };
/** The id of a host that stops. */
const HOST_LEFT: Topic<string> = { name: 'host.left' };

const HEARTBEAT_EVERY_MS = 10_000;
const HOST_TIMEOUT_MS = 25_000;
const OUTBOX_OF_0_1_0 = 'outbox';
/** A stopping host waits this long for the database. Without the event, others count the host for 25 s. */
const LEAVE_MS = 1_000;
const MAX_CLOCK_OFFSET_MS = 5_000;

/** The hosts of one database, for operators: their state and their differences. A difference causes a warning, not an error. */
@Injectable()
export class Hosts implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Hosts');
  readonly own: Host;
  private readonly seen = new Map<string, Host & { seenAt: number }>();
  /** this host's clock minus the clock of the MongoDB primary */
  clockOffsetMs = 0;
  private logged: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isLeaving = false;

  constructor(
    private readonly mongo: MongoService,
    private readonly events: EventPublisher,
    private readonly stream: EventStream,
    private readonly config: AppConfig,
  ) {
    const secret = secretFingerprint(config.auth.tokenSecrets[0]);
    const { hostPoolSize: connections } = config.mongo;
    const { hostId: host } = config.process;
    this.own = { host, name: hostname(), version: fullVersion(), format: FORMAT, connections, secret };
    stream.subscribe(HOST_SEEN, { onEvent: (host) => this.onHeartbeat(host), onGap: () => void this.sendHeartbeat() });
    stream.subscribe(HOST_LEFT, { onEvent: (id) => this.onLeft(id), onGap: () => {} });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.check(), HEARTBEAT_EVERY_MS).unref();
    void this.check();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    this.isLeaving = true;
    if (!this.stream.isFollower) return;
    await within(LEAVE_MS, this.events.publishNow(HOST_LEFT, this.own.host)).catch(() => {});
  }

  /** Other hosts with a recent heartbeat. */
  get others(): Host[] {
    const since = performance.now() - HOST_TIMEOUT_MS;
    return [...this.seen.values()].filter(({ seenAt }) => seenAt > since);
  }

  get withOtherSecret(): Host[] {
    const own = this.config.auth.tokenSecrets.map(secretFingerprint);
    return this.others.filter(({ secret }) => !own.includes(secret));
  }

  /** The state of all hosts together; a detail of readiness. */
  get state(): { hosts: number; versions: string[]; connections: Record<'process' | 'host' | 'cluster', number> } {
    const all = [this.own, ...this.others];
    const versions = [...new Set(all.map(({ version }) => version))].sort(compareVersions);
    const cluster = all.reduce((sum, { connections }) => sum + connections, 0);
    return {
      hosts: all.length,
      versions,
      connections: { process: this.config.mongo.poolSize, host: this.own.connections, cluster },
    };
  }

  /** The differences, one sentence each; a detail of readiness. */
  get warnings(): string[] {
    const seconds = Math.round(this.clockOffsetMs / 1_000);
    const side = seconds < 0 ? 'behind' : 'ahead of';
    const clock = `The clock of this host is ${Math.abs(seconds)} s ${side} that of MongoDB: tokens, schedules and limits go wrong.`;
    const secrets = this.withOtherSecret.map(
      ({ name }) => `Host ${name} signs with another AUTH_TOKEN_SECRET: its tokens and cursors are refused here.`,
    );
    return Math.abs(this.clockOffsetMs) > MAX_CLOCK_OFFSET_MS ? [clock, ...secrets] : secrets;
  }

  /** Hosts with a heartbeat in the last 25 s whose program knows only earlier formats; also those of 0.1.0. */
  async findBelow(format: number): Promise<string[]> {
    const hosts = [...(await this.findSeen()), ...(await this.findSeen(OUTBOX_OF_0_1_0))];
    const below = hosts.filter((host) => (host.format ?? 0) < format);
    return [...new Set(below.map(({ name, version }) => `${name} (${version})`))];
  }

  /** Names of other hosts with a heartbeat in the last 25 s. */
  async findServing(): Promise<string[]> {
    const others = (await this.findSeen()).filter(({ host }) => host !== this.own.host);
    return [...new Set(others.map(({ name }) => name))];
  }

  /** Not all stored heartbeats, because a stopped database keeps old ones. */
  private async findSeen(collection = EVENTS): Promise<Host[]> {
    const $in = [HOST_SEEN.name, HOST_LEFT.name];
    const recent = { topic: { $in }, createdAt: { $gt: new Date(Date.now() - HOST_TIMEOUT_MS) } };
    const rows = await this.mongo
      .collection<StoredEvent<Host | string>>(collection)
      .find(recent)
      .sort({ _id: 1 })
      .toArray();
    const hosts = new Map<string, Host>();
    for (const { payload } of rows) {
      if (typeof payload === 'string') hosts.delete(payload);
      else hosts.set(payload.host, payload);
    }
    return [...hosts.values()];
  }

  private onHeartbeat(host: Host): void {
    if (host.host === this.own.host) return;
    const isNew = !this.seen.has(host.host);
    this.seen.set(host.host, { ...host, seenAt: performance.now() });
    if (isNew) void this.sendHeartbeat();
  }

  private onLeft(id: string): void {
    // The process that ended was replaced, and the host continues.
    if (id === this.own.host) void this.sendHeartbeat();
    else this.seen.delete(id);
  }

  /** Writes the heartbeat, in only one process of each host. */
  private async sendHeartbeat(): Promise<void> {
    if (this.stream.isFollower && !this.isLeaving) await this.events.publishNow(HOST_SEEN, this.own).catch(() => {});
  }

  private async check(): Promise<void> {
    await Promise.all([this.sendHeartbeat(), this.measureClock()]);
    if (!this.stream.isFollower) return;
    const { warnings } = this;
    for (const warning of warnings) if (!this.logged.includes(warning)) this.logger.warn(warning);
    this.logged = warnings;
  }

  private async measureClock(): Promise<void> {
    const sentAt = Date.now();
    const hello = await this.mongo.client
      .db('admin')
      .command({ hello: 1 })
      .catch(() => null);
    if (hello === null) return;
    this.clockOffsetMs = clockOffsetMs(Number(hello['localTime']), sentAt, Date.now());
  }
}

function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
