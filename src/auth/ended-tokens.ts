import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AccessTokenService } from '../platform/access/access-token.service.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { SessionsService } from './sessions.service.js';

const CHANNEL = 'tokens-ended';
const POLL_INTERVAL_MS = 10_000;
/** A commit becomes visible a little after the time it carries. */
const COMMIT_SLACK_MS = 60_000;

/**
 * Access tokens are verified without a database read, so every process has to know which accounts and sign-ins ended while their
 * tokens may still live: from the others of this host by message, and from the database at its start and every ten seconds for what
 * ended elsewhere.
 */
@Injectable()
export class EndedTokens implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('EndedTokens');
  private timer: NodeJS.Timeout | undefined;
  /** when the database was last asked; the clock of the day may jump */
  private askedAt: number;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly tokens: AccessTokenService,
    private readonly accounts: UserAccountsService,
    private readonly sessions: SessionsService,
    private readonly bus: ClusterBus,
  ) {
    this.askedAt = performance.now() - tokens.ttlSeconds * 1000;
  }

  async onModuleInit(): Promise<void> {
    this.unsubscribe = this.bus.subscribe<string[]>(CHANNEL, (ids) => this.end(ids));
    await this.poll();
    this.timer = setInterval(() => {
      this.poll().catch((error: unknown) => this.logger.warn(`ended tokens could not be read: ${String(error)}`));
    }, POLL_INTERVAL_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.unsubscribe?.();
  }

  /** Resolves when every process of this host has heard of these accounts or sign-ins (or 100 ms are over). */
  async announce(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    this.end(ids);
    this.bus.publish(CHANNEL, ids);
    await this.bus.flush();
  }

  /** Learns what ended since the last time; two ranges of small partial indexes. */
  async poll(): Promise<void> {
    const now = performance.now();
    const ms = Math.ceil(now - this.askedAt) + COMMIT_SLACK_MS;
    for (const room of [this.accounts, this.sessions]) this.end(await room.endedWithin(ms));
    this.askedAt = now;
  }

  private end(ids: string[]): void {
    for (const id of ids) this.tokens.end(id);
  }
}
