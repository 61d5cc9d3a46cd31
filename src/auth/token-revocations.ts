import { setTimeout as sleep } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { AccessTokenService } from '../platform/access/access-token.service.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { TRUST_MS } from '../platform/events/event.schema.js';
import { EventStream } from '../platform/events/event-stream.js';
import { StreamTrust } from '../platform/events/stream-trust.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { TOKENS_ENDED } from './auth.events.js';

const CHANNEL = 'tokens-ended';
const RETRY_MS = 1_000;
/** A commit becomes visible a little later than its timestamp. */
const COMMIT_SLACK_MS = 60_000;

/** A kind of tokens, of sessions or not, that a module registers. */
export type RevocableTokens = {
  /** Ends all tokens of an account, with `revoke`. */
  revokeOf: (userId: ObjectId, tx: Transaction) => Promise<unknown>;
  /** Returns the ids that ended in the last `ms`; absent: tokens of this kind are looked up. */
  endedWithin?: (ms: number) => Promise<string[]>;
};

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
  private readonly kinds: RevocableTokens[] = [];

  constructor(
    private readonly tokens: AccessTokenService,
    private readonly accounts: UserAccountsService,
    private readonly bus: ClusterBus,
    private readonly stream: EventStream,
    private readonly trust: StreamTrust,
  ) {}

  onModuleInit(): void {
    this.unsubscribe = this.bus.subscribe<string[]>(CHANNEL, (ids) => this.store(ids));
    this.stream.subscribe(TOKENS_ENDED, { onEvent: (ids) => this.store(ids), onGap: () => void this.reload() });
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

  register(kind: RevocableTokens): void {
    this.kinds.push(kind);
  }

  /**
   * Revokes the tokens of accounts, sessions or API tokens. This process rejects them when the transaction has committed; other processes
   * accept them for at most 1.5 s more.
   */
  revoke(ids: string[], tx: Transaction): void {
    if (ids.length === 0) return;
    tx.publish(TOKENS_ENDED, ids);
    tx.afterCommit(() => {
      this.store(ids);
      this.bus.publish(CHANNEL, ids);
    });
  }

  /** Ends every session and API token of an account. */
  async revokeOf(userId: ObjectId, tx: Transaction): Promise<void> {
    for (const kind of this.kinds) await kind.revokeOf(userId, tx);
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
    for (const kind of [this.accounts, ...this.kinds]) this.store((await kind.endedWithin?.(ms)) ?? []);
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
        if (!this.isOver) this.logger.warn(`revoked tokens could not be read: ${String(error)}`);
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    this.isReloading = false;
  }

  private store(ids: string[]): void {
    for (const id of ids) this.tokens.revoke(id);
  }
}
