import { setTimeout as sleep } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { AccessTokenService } from '../platform/access/access-token.service.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { TRUST_MS } from '../platform/events/event.schema.js';
import { EventStream } from '../platform/events/event-stream.js';
import { StreamTrust } from '../platform/events/stream-trust.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { TOKENS_ENDED } from './auth.events.js';
import { SessionsService } from './sessions.service.js';

const CHANNEL = 'tokens-ended';
const RETRY_MS = 1_000;
/** A commit becomes visible a little later than its timestamp. */
const COMMIT_SLACK_MS = 60_000;

/**
 * Stores the accounts and sessions that ended while their access tokens are unexpired, because tokens are verified without a database read.
 * Ids come by message from this host, by event from others, and by a read at the start, after a gap and while the stream is silent.
 */
@Injectable()
export class TokenRevocations implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('TokenRevocations');
  /** the time of the last query, on the monotonic clock, because the wall clock may jump */
  private readAt = -Infinity;
  private loading: Promise<void> | undefined;
  private mayMiss = false;
  private isReloading = false;
  private isOver = false;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly tokens: AccessTokenService,
    private readonly accounts: UserAccountsService,
    private readonly sessions: SessionsService,
    private readonly bus: ClusterBus,
    private readonly stream: EventStream,
    private readonly trust: StreamTrust,
  ) {}

  onModuleInit(): void {
    this.unsubscribe = this.bus.subscribe<string[]>(CHANNEL, (ids) => this.revoke(ids));
    this.stream.subscribe(TOKENS_ENDED, { onEvent: (ids) => this.revoke(ids), onGap: () => void this.reload() });
    this.tokens.confirmWith(() => this.confirm());
    this.trust.keep(this.tokens);
  }

  /** Runs after all subscriptions are active, so that no later revocation is missed. */
  onApplicationBootstrap(): Promise<void> {
    return this.load();
  }

  onModuleDestroy(): void {
    this.isOver = true;
    this.unsubscribe?.();
  }

  /** Publishes to every process of this host that these accounts or sessions have ended. */
  publish(ids: string[]): void {
    if (ids.length === 0) return;
    this.revoke(ids);
    this.bus.publish(CHANNEL, ids);
  }

  /** Reads the ids revoked since the last call: two ranges of small partial indexes. Concurrent calls share one read. */
  load(): Promise<void> {
    return (this.loading ??= this.read().finally(() => (this.loading = undefined)));
  }

  /** Resolves when this process has every revocation older than 1.5 s at the time of the call. */
  private async confirm(): Promise<true> {
    const now = performance.now();
    // A running read may have started too early.
    while (this.tokens.trustedUntil <= now) await this.load();
    return true;
  }

  private async read(): Promise<void> {
    const now = performance.now();
    this.tokens.evictLookedUp();
    const ms = Math.ceil(Math.min(now - this.readAt, this.tokens.ttlSeconds * 1000)) + COMMIT_SLACK_MS;
    for (const room of [this.accounts, this.sessions]) this.revoke(await room.endedWithin(ms));
    this.readAt = now;
    this.tokens.trustedUntil = Math.max(this.tokens.trustedUntil, now + TRUST_MS);
  }

  /** Retries until the database responds. A gap during the read repeats the read. */
  private async reload(): Promise<void> {
    this.mayMiss = true;
    if (this.isReloading) return;
    this.isReloading = true;
    while (this.mayMiss && !this.isOver) {
      this.mayMiss = false;
      try {
        await this.read();
      } catch (error) {
        this.mayMiss = true;
        this.logger.warn(`revoked tokens could not be read: ${String(error)}`);
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    this.isReloading = false;
  }

  private revoke(ids: string[]): void {
    for (const id of ids) this.tokens.revoke(id);
  }
}
