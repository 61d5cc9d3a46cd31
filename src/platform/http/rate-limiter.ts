import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { ClusterBus } from '../cluster/bus.js';
import { RateLimitBuckets, type Taken } from './rate-limit-buckets.js';

export const RATE_LIMIT_POLICIES = ['reads', 'writes', 'auth'] as const;
export type RateLimitPolicy = (typeof RATE_LIMIT_POLICIES)[number];

export type RateLimitVerdict = Taken & { policy: RateLimitPolicy; limit: number };

/** policy, key, how many */
type Spent = [policy: RateLimitPolicy, key: string, count: number];

export const RATE_LIMIT_WINDOW_SECONDS = 60;
const CHANNEL = 'rate-limit';
const SHARE_EVERY_MS = 100;
/** Told at the latest when it is this many, or a hundredth of the limit: one request more or less decides nothing before. */
const MOST_UNTOLD = 10;
const UNTOLD_PART = 100;
const MAX_UNTOLD_KEYS = 100_000;
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
  private readonly byAccount: Record<RateLimitPolicy, RateLimitBuckets>;
  private readonly byAddress: Record<'reads' | 'writes', RateLimitBuckets>;
  /** portions that are not full yet */
  private readonly untold = new Map<string, Spent>();
  private readonly counted = new WeakMap<object, RateLimitVerdict>();
  private readonly unshared = new Map<string, Spent>();
  private sharing: NodeJS.Timeout | undefined;
  private readonly sweeping: NodeJS.Timeout | undefined;

  constructor(
    config: AppConfig,
    private readonly bus: ClusterBus,
  ) {
    const { isEnabled, readsPerMinute, writesPerMinute, authPerMinute } = config.rateLimit;
    const buckets = (limit: number) => new RateLimitBuckets(limit, RATE_LIMIT_WINDOW_SECONDS * 1_000);
    this.isEnabled = isEnabled;
    this.byAccount = { reads: buckets(readsPerMinute), writes: buckets(writesPerMinute), auth: buckets(authPerMinute) };
    this.byAddress = {
      reads: buckets(readsPerMinute * ACCOUNTS_PER_ADDRESS),
      writes: buckets(writesPerMinute * ACCOUNTS_PER_ADDRESS),
    };
    if (!isEnabled) return;
    bus.subscribe<Spent[]>(CHANNEL, (spent) => {
      for (const [policy, key, count] of spent) this.bucketsOf(policy, key).subtract(key, count);
    });
    this.sweeping = setInterval(() => {
      for (const store of [...Object.values(this.byAccount), ...Object.values(this.byAddress)]) store.sweep();
      // less than a portion each, and a window old: their buckets have refilled
      this.untold.clear();
    }, SWEEP_EVERY_MS).unref();
  }

  /** `take` for a request that may come by twice: it is counted the first time. */
  takeOnce(request: object, policy: RateLimitPolicy, accountId: string | null, address: string): RateLimitVerdict {
    let verdict = this.counted.get(request);
    if (verdict === undefined) this.counted.set(request, (verdict = this.take(policy, accountId, address)));
    return verdict;
  }

  /** Counts one request of an account (null: of a visitor), which its address carries too. */
  take(policy: RateLimitPolicy, accountId: string | null, address: string): RateLimitVerdict {
    const network = networkOf(address);
    // who signs in is nobody yet: only the address counts
    if (accountId === null || policy === 'auth') return this.spend(policy, `visitor:${network}`);
    const own = this.spend(policy, `account:${accountId}`);
    if (!own.isAllowed) return own;
    const shared = this.spend(policy, `address:${network}`);
    return shared.isAllowed ? own : shared;
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeping);
    clearTimeout(this.sharing);
  }

  private spend(policy: RateLimitPolicy, key: string): RateLimitVerdict {
    const store = this.bucketsOf(policy, key);
    const taken = store.take(key);
    if (taken.isAllowed) this.share(policy, key, store.limit);
    return { ...taken, policy, limit: store.limit };
  }

  private bucketsOf(policy: RateLimitPolicy, key: string): RateLimitBuckets {
    return policy !== 'auth' && key.startsWith('address:') ? this.byAddress[policy] : this.byAccount[policy];
  }

  private share(policy: RateLimitPolicy, key: string, limit: number): void {
    const name = `${policy} ${key}`;
    const full = this.unshared.get(name);
    if (full !== undefined) {
      full[2]++;
      return;
    }
    let spent = this.untold.get(name);
    if (spent === undefined) {
      if (this.untold.size >= MAX_UNTOLD_KEYS) this.untold.delete(this.untold.keys().next().value!);
      this.untold.set(name, (spent = [policy, key, 0]));
    }
    if (++spent[2] < Math.min(MOST_UNTOLD, limit / UNTOLD_PART) && policy !== 'auth') return;
    this.untold.delete(name);
    this.unshared.set(name, spent);
    if (policy === 'auth') this.tellOthers();
    else this.sharing ??= setTimeout(() => this.tellOthers(), SHARE_EVERY_MS).unref();
  }

  private tellOthers(): void {
    clearTimeout(this.sharing);
    this.sharing = undefined;
    this.bus.publish(CHANNEL, [...this.unshared.values()]);
    this.unshared.clear();
  }
}

/** An IPv6 client owns its whole /64: addresses within it are one client. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  const [head = '', tail] = address.split('%', 1)[0]!.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? before
      : [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
    .join(':')}::/64`;
}
