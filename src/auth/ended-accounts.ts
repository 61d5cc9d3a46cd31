import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AccessTokenService } from '../platform/http/access-token.service.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { UserAccountsService } from '../users/user-accounts.service.js';

const CHANNEL = 'account-ended';
const POLL_INTERVAL_MS = 10_000;
/** Hosts' clocks differ, and a commit becomes visible a little after the time it carries. */
const CLOCK_SLACK_MS = 60_000;

type Ended = { userId: string; endedAtMs: number };

/**
 * Access tokens are verified without a database read, so every process has to know which accounts ended while their tokens
 * still live: from the others of this host at once, and from the database at its start and every ten seconds for what ended
 * elsewhere.
 */
@Injectable()
export class EndedAccounts implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('EndedAccounts');
  private timer: NodeJS.Timeout | undefined;
  private seenUntilMs: number;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly tokens: AccessTokenService,
    private readonly accounts: UserAccountsService,
    private readonly bus: ClusterBus,
  ) {
    this.seenUntilMs = Date.now() - tokens.ttlSeconds * 1000;
  }

  async onModuleInit(): Promise<void> {
    this.unsubscribe = this.bus.subscribe<Ended>(CHANNEL, (ended) => this.revoke(ended));
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
  async announce(userId: string, endedAt: Date): Promise<void> {
    const ended: Ended = { userId, endedAtMs: endedAt.getTime() };
    this.revoke(ended);
    this.bus.publish(CHANNEL, ended);
    await this.bus.flush();
  }

  /** Learns what ended since the last time; one range of a small partial index. */
  async poll(): Promise<void> {
    const now = Date.now();
    const ended = await this.accounts.endedSince(new Date(this.seenUntilMs - CLOCK_SLACK_MS));
    for (const { userId, endedAt } of ended) this.revoke({ userId, endedAtMs: endedAt.getTime() });
    this.seenUntilMs = now;
  }

  private revoke({ userId, endedAtMs }: Ended): void {
    // no token of an ended account is good, also one that a host with a fast clock has just made
    this.tokens.revokeAccount(userId, endedAtMs + CLOCK_SLACK_MS);
  }
}
