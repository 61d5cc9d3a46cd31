import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AccessTokenService } from '../platform/access/access-token.service.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { UserAccountsService } from '../users/user-accounts.service.js';

const CHANNEL = 'account-ended';
const POLL_INTERVAL_MS = 10_000;
/** A commit becomes visible a little after the time it carries. */
const COMMIT_SLACK_MS = 60_000;

/**
 * Access tokens are verified without a database read, so every process has to know which accounts ended while their tokens
 * still live: from the others of this host by message, and from the database at its start and every ten seconds for what ended
 * elsewhere.
 */
@Injectable()
export class EndedAccounts implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('EndedAccounts');
  private timer: NodeJS.Timeout | undefined;
  /** when it was last asked which accounts had ended; the clock of the day may jump */
  private askedAt: number;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly tokens: AccessTokenService,
    private readonly accounts: UserAccountsService,
    private readonly bus: ClusterBus,
  ) {
    this.askedAt = performance.now() - tokens.ttlSeconds * 1000;
  }

  async onModuleInit(): Promise<void> {
    this.unsubscribe = this.bus.subscribe<string>(CHANNEL, (userId) => this.revoke(userId));
    await this.poll();
    this.timer = setInterval(() => {
      this.poll().catch((error: unknown) => this.logger.warn(`ended accounts could not be read: ${String(error)}`));
    }, POLL_INTERVAL_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.unsubscribe?.();
  }

  /** Resolves when every process of this host has heard it (or 100 ms are over). */
  async announce(userId: string): Promise<void> {
    this.revoke(userId);
    this.bus.publish(CHANNEL, userId);
    await this.bus.flush();
  }

  /** Learns what ended since the last time; one range of a small partial index. */
  async poll(): Promise<void> {
    const now = performance.now();
    for (const userId of await this.accounts.endedWithin(Math.ceil(now - this.askedAt) + COMMIT_SLACK_MS))
      this.revoke(userId);
    this.askedAt = now;
  }

  private revoke(userId: string): void {
    // no token of an ended account is good, also one that a host with a fast clock has just made
    this.tokens.revokeAccount(userId, Date.now() + this.tokens.ttlSeconds * 1000);
  }
}
