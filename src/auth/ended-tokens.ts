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
import { Hosts } from '../platform/outbox/hosts.js';
import { OutboxStream } from '../platform/outbox/outbox-stream.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { TOKENS_ENDED } from './auth.topics.js';
import { SessionsService } from './sessions.service.js';

const CHANNEL = 'tokens-ended';
const RETRY_MS = 1_000;
/** A commit becomes visible a little after the time it carries. */
const COMMIT_SLACK_MS = 60_000;

/**
 * Access tokens are verified without a database read, so every process has to know which accounts and sign-ins ended while their
 * tokens may still live: from the others of this host by message, from other hosts by the outbox row of the transaction, and from the
 * database where rows may have been missed: at its start, after a gap of the stream, and while the stream is silent (API tokens, which
 * are not kept for long, are then looked up again).
 */
@Injectable()
export class EndedTokens implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('EndedTokens');
  /** when the database was last asked; the clock of the day may jump */
  private askedAt = -Infinity;
  private mayMiss = false;
  private isLoading = false;
  private isOver = false;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly tokens: AccessTokenService,
    private readonly accounts: UserAccountsService,
    private readonly sessions: SessionsService,
    private readonly bus: ClusterBus,
    private readonly stream: OutboxStream,
    private readonly hosts: Hosts,
  ) {}

  onModuleInit(): void {
    this.unsubscribe = this.bus.subscribe<string[]>(CHANNEL, (ids) => this.end(ids));
    this.stream.listen(TOKENS_ENDED, { onRow: (ids) => this.end(ids), onGap: () => void this.reload() });
    this.hosts.whileInDoubt(() => void this.reload());
  }

  /** Runs when all subscriptions are active, so that no later revocation is missed. */
  onApplicationBootstrap(): Promise<void> {
    return this.load();
  }

  onModuleDestroy(): void {
    this.isOver = true;
    this.unsubscribe?.();
  }

  /** Resolves when every process of this host knows that these accounts or sessions ended, or after 100 ms. */
  async announce(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    this.end(ids);
    this.bus.publish(CHANNEL, ids);
    await this.bus.flush();
  }

  /** Learns what ended since the last time; two ranges of small partial indexes. */
  async load(): Promise<void> {
    const now = performance.now();
    const ms = Math.ceil(Math.min(now - this.askedAt, this.tokens.ttlSeconds * 1000)) + COMMIT_SLACK_MS;
    for (const room of [this.accounts, this.sessions]) this.end(await room.endedWithin(ms));
    this.askedAt = now;
  }

  /** Tries until the database responds; a gap in the meantime begins it again. */
  private async reload(): Promise<void> {
    this.mayMiss = true;
    this.tokens.forgetApiTokens();
    if (this.isLoading) return;
    this.isLoading = true;
    while (this.mayMiss && !this.isOver) {
      this.mayMiss = false;
      try {
        await this.load();
      } catch (error) {
        this.mayMiss = true;
        this.logger.warn(`ended tokens could not be read: ${String(error)}`);
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    this.isLoading = false;
  }

  private end(ids: string[]): void {
    for (const id of ids) this.tokens.end(id);
  }
}
