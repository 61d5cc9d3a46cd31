import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { ClusterBus } from '../cluster/bus.js';
import { networkOf } from '../../common/networks.js';
import { RateLimitBuckets, type Taken } from './rate-limit-buckets.js';

/** `events`: views, reads and shares of visitors */
export type RateLimitPolicy = 'reads' | 'writes' | 'auth' | 'events';

export type RateLimitVerdict = Taken & { policy: RateLimitPolicy; limit: number };

/** The key is `account:<id>`, `visitor:<network>` or `address:<network>`, joined only for the message. */
type Spent = [policy: RateLimitPolicy, key: string, count: number];

/** Who a bucket belongs to: an account, an address without one, or an address with all its accounts. */
type Payer = 'account' | 'visitor' | 'address';
type Store = { policy: RateLimitPolicy; payer: Payer; buckets: RateLimitBuckets };

export const RATE_LIMIT_WINDOW_SECONDS = 60;
const CHANNEL = 'rate-limit';
const SHARE_EVERY_MS = 100;
/** Told at the latest when it is this many, or a hundredth of the limit: one request more or less decides nothing before. */
const MOST_UNTOLD = 10;
const UNTOLD_PART = 100;
const SWEEP_EVERY_MS = 60_000;
/** accounts that may be busy behind one address (an office, a school) before the address itself is limited */
const ACCOUNTS_PER_ADDRESS = 10;

/**
 * Requests per account and per address, shared by the workers of a host: each decides from memory and tells the others every 100 ms
 * what it let through (sign-in at once), in portions of a hundredth of the limit and at most ten: so a limit can be exceeded by what
 * each other worker let through in that time and one portion, and costs no round trip. Limits hold per host.
 */
@Injectable()
export class RateLimiter implements OnModuleDestroy {
  readonly isEnabled: boolean;
  private readonly stores: Record<Payer, Record<RateLimitPolicy, Store>>;
  private sharing: NodeJS.Timeout | undefined;
  private readonly sweeping: NodeJS.Timeout | undefined;

  constructor(
    config: AppConfig,
    private readonly bus: ClusterBus,
  ) {
    const { isEnabled, readsPerMinute, writesPerMinute, authPerMinute, visitorEventsPerMinute } = config.rateLimit;
    const stores = (payer: Payer, times = 1): Record<RateLimitPolicy, Store> => {
      const store = (policy: RateLimitPolicy, limit: number): Store => {
        const portion = policy === 'auth' ? 1 : Math.min(MOST_UNTOLD, limit / UNTOLD_PART);
        return { policy, payer, buckets: new RateLimitBuckets(limit, RATE_LIMIT_WINDOW_SECONDS * 1_000, portion) };
      };
      return {
        reads: store('reads', readsPerMinute * times),
        writes: store('writes', writesPerMinute * times),
        auth: store('auth', authPerMinute * times),
        events: store('events', visitorEventsPerMinute * times),
      };
    };
    this.isEnabled = isEnabled;
    this.stores = {
      account: stores('account'),
      visitor: stores('visitor'),
      address: stores('address', ACCOUNTS_PER_ADDRESS),
    };
    if (!isEnabled) return;
    bus.subscribe<Spent[]>(CHANNEL, (spent) => {
      for (const [policy, name, count] of spent) {
        const end = name.indexOf(':');
        this.stores[name.slice(0, end) as Payer][policy].buckets.subtract(name.slice(end + 1), count);
      }
    });
    this.sweeping = setInterval(() => {
      for (const { buckets } of this.allStores()) buckets.sweep();
    }, SWEEP_EVERY_MS).unref();
  }

  /** Counts one request of an account (null: of a visitor), which its address carries too. */
  take(policy: RateLimitPolicy, accountId: string | null, address: string): RateLimitVerdict {
    const network = networkOf(address);
    // who signs in is nobody yet: only the address counts
    if (accountId === null || policy === 'auth') return this.spend(this.stores.visitor[policy], network);
    const own = this.spend(this.stores.account[policy], accountId);
    if (!own.isAllowed) return own;
    const shared = this.spend(this.stores.address[policy], network);
    return shared.isAllowed ? own : shared;
  }

  /**
   * Counts what a read of an account costs beyond one, once that is known.
   * @throws CodedError `rate_limited` while the account owes for earlier ones
   */
  chargeReads(accountId: string, count: number): void {
    if (!this.isEnabled || count <= 0) return;
    const { buckets } = this.stores.account.reads;
    const retryAfterSeconds = buckets.charge(accountId, count);
    if (buckets.isDue) this.sharing ??= setTimeout(() => this.tellOthers(), SHARE_EVERY_MS).unref();
    if (retryAfterSeconds === 0) return;
    const detail = `Such pages count as ${count + 1} reads; wait ${retryAfterSeconds} s.`;
    throw new CodedError('rate_limited', detail, { retryAfterSeconds });
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeping);
    clearTimeout(this.sharing);
  }

  private spend({ policy, buckets }: Store, key: string): RateLimitVerdict {
    const taken = buckets.take(key);
    if (buckets.isDue) {
      if (policy === 'auth') this.tellOthers();
      else this.sharing ??= setTimeout(() => this.tellOthers(), SHARE_EVERY_MS).unref();
    }
    const { isAllowed, remaining, resetSeconds, retryAfterSeconds } = taken;
    // field by field: spreading it took most of the time of a `spend`
    return { isAllowed, remaining, resetSeconds, retryAfterSeconds, policy, limit: buckets.limit };
  }

  private tellOthers(): void {
    clearTimeout(this.sharing);
    this.sharing = undefined;
    const spent = this.allStores().flatMap(({ policy, payer, buckets }) =>
      buckets.tell().map(([key, count]): Spent => [policy, `${payer}:${key}`, count]),
    );
    this.bus.publish(CHANNEL, spent);
  }

  private allStores(): Store[] {
    return Object.values(this.stores).flatMap((policies) => Object.values(policies));
  }
}
