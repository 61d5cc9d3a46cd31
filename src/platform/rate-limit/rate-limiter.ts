import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CodedError, type ErrorCode } from '../../common/errors.js';
import { networkOf, siteOf, wideNetworkOf } from '../../common/networks.js';
import { AppConfig } from '../../config/app-config.js';
import type { Viewer } from '../access/viewer.js';
import { ClusterBus } from '../cluster/bus.js';
import { counter } from '../prometheus/metric.js';
import { RedisService } from '../redis/redis.service.js';
import { NEWCOMER_KINDS, NEWCOMER_LIMITS, type NewcomerKind } from './newcomer-limits.js';
import { type Allowance, RateLimitBuckets } from './rate-limit-buckets.js';
import { SharedBuckets } from './shared-buckets.js';

/** policy -> the noun in the error message */
const POLICIES = {
  reads: 'reads',
  writes: 'writes',
  auth: 'attempts to sign in',
  /** of visitors */
  events: 'events',
  searches: 'searches',
  previews: 'previews',
  pings: 'pings',
  uploads: 'uploads',
  guestUploads: 'uploads without an account from your network',
  registrations: 'registrations from your network',
  recipients: 'mails to new addresses from your network',
} as const;
export type RateLimitPolicy = keyof typeof POLICIES;
const ALL_POLICIES = Object.keys(POLICIES) as RateLimitPolicy[];

/** The counted quantities: requests by policy, the bytes that an account sends, and the writes of a new account by kind. */
type Counted = RateLimitPolicy | 'bytes' | `newcomer:${NewcomerKind}`;
const OF_NEWCOMERS = NEWCOMER_KINDS.map((kind) => `newcomer:${kind}` as const);
const BUCKETS: readonly Counted[] = [...ALL_POLICIES, 'bytes', ...OF_NEWCOMERS];

const refused = counter({
  name: 'opencanvas_rate_limited_total',
  help: 'Requests refused by a rate limit, by policy',
  labelNames: ['policy'],
});

export type RateLimitVerdict = Allowance & { policy: RateLimitPolicy; limit: number };

/**
 * An account, the address of a visitor, or an address with all its accounts; the last two also by their site (IPv6 /48, for registrations
 * also /24).
 */
const SUBJECTS = ['account', 'visitor', 'address', 'visitorSite', 'addressSite'] as const;
type Subject = (typeof SUBJECTS)[number];

type SharedCount = [subject: Subject, policy: Counted, key: string, count: number];

const WINDOW_SECONDS = 60;
const DAY_SECONDS = 86_400;
/** number of body bytes that count as one more write */
const BYTES_PER_WRITE = 16_384;
/** weight of the bytes of an account without a verified address */
const UNVERIFIED_WEIGHT = 10;
/** of the webhooks of an account */
const PINGS_PER_MINUTE = 10;
const HOURLY_WINDOW_SECONDS = 3_600;
const HOURLY: readonly Counted[] = ['uploads', 'guestUploads', 'registrations', 'recipients'];
const CHANNEL = 'rate-limit-counts';
const FLUSH_EVERY_MS = 100;
/** A key is reported to the other workers after this number of requests or bytes, or after a hundredth of the limit. */
const MAX_SYNC_THRESHOLD = 10;
const SYNC_PART = 100;
const SWEEP_EVERY_MS = 60_000;
/** busy accounts behind one address (an office, a school) before the address itself is limited */
const ACCOUNTS_PER_ADDRESS = 10;
/** busy networks in one IPv6 site, of which a customer may own all 65,536 */
const NETWORKS_PER_SITE = 20;
const REGISTERING_NETWORKS_PER_SITE = 10;

/**
 * Limits requests in memory and reports the counts in portions: no round trip, and at most one portion too many per worker. Hosts share the
 * counts through Redis; without it, the workers of a host exchange them every 100 ms (sign-ins immediately).
 */
@Injectable()
export class RateLimiter implements OnModuleDestroy {
  readonly isEnabled: boolean;
  private readonly buckets: Record<Subject, Record<Counted, RateLimitBuckets>>;
  private readonly shared: SharedBuckets;
  private flushing: NodeJS.Timeout | undefined;
  private readonly sweeping: NodeJS.Timeout | undefined;

  constructor(
    config: AppConfig,
    private readonly bus: ClusterBus,
    redis: RedisService,
  ) {
    this.shared = new SharedBuckets(redis);
    const { isEnabled, readsPerMinute, writesPerMinute, authPerMinute } = config.rateLimit;
    const { visitorEventsPerMinute, searchesPerMinute, previewsPerMinute, uploadsPerHour } = config.rateLimit;
    const { guestUploadsPerHour, registrationsPerHour, recipientsPerHour } = config.rateLimit;
    const limits: Record<Counted, number> = {
      reads: readsPerMinute,
      writes: writesPerMinute,
      auth: authPerMinute,
      events: visitorEventsPerMinute,
      searches: searchesPerMinute,
      previews: previewsPerMinute,
      pings: PINGS_PER_MINUTE,
      uploads: uploadsPerHour,
      guestUploads: guestUploadsPerHour,
      bytes: config.rateLimit.bytesPerDay,
      registrations: registrationsPerHour,
      recipients: recipientsPerHour,
      ...(Object.fromEntries(NEWCOMER_KINDS.map((kind) => [`newcomer:${kind}`, NEWCOMER_LIMITS[kind]])) as Record<
        `newcomer:${NewcomerKind}`,
        number
      >),
    };
    const create = (policy: Counted, limit: number): RateLimitBuckets => {
      const part = limit / SYNC_PART;
      const threshold = policy === 'auth' ? 1 : policy === 'bytes' ? part : Math.min(MAX_SYNC_THRESHOLD, part);
      return new RateLimitBuckets(limit, windowSecondsOf(policy) * 1_000, threshold);
    };
    const createAll = (limitOf: (policy: Counted) => number): Record<Counted, RateLimitBuckets> =>
      Object.fromEntries(BUCKETS.map((policy) => [policy, create(policy, limitOf(policy))])) as Record<
        Counted,
        RateLimitBuckets
      >;
    const ofVisitors = { ...limits, searches: config.rateLimit.visitorSearchesPerMinute };
    this.isEnabled = isEnabled;
    this.buckets = {
      account: createAll((policy) => limits[policy]),
      visitor: createAll((policy) => ofVisitors[policy]),
      address: createAll((policy) => limits[policy] * ACCOUNTS_PER_ADDRESS),
      visitorSite: createAll((policy) => ofVisitors[policy] * networksPerSite(policy)),
      addressSite: createAll((policy) => limits[policy] * ACCOUNTS_PER_ADDRESS * networksPerSite(policy)),
    };
    if (!isEnabled && config.newcomers.ms === 0) return;
    bus.subscribe<SharedCount[]>(CHANNEL, (counts) => {
      for (const [subject, policy, key, count] of counts) this.buckets[subject][policy].subtract(key, count);
    });
    this.sweeping = setInterval(() => this.forEach((_subject, _policy, buckets) => buckets.sweep()), SWEEP_EVERY_MS);
    this.sweeping.unref();
  }

  /** Counts one request of an account (null: of a visitor) and of its address. */
  take(policy: RateLimitPolicy, accountId: string | null, address: string): RateLimitVerdict {
    // Sign-ins count only by address.
    if (accountId === null || policy === 'auth') return this.spendOfNetwork('visitor', policy, address);
    const own = this.spend('account', policy, accountId);
    if (!own.isAllowed) return own;
    const shared = this.spendOfNetwork('address', policy, address);
    return shared.isAllowed ? own : shared;
  }

  /**
   * Charges the body of a write beyond one request, once its size is known.
   * @throws CodedError `byte_budget_spent` while the account has a debt of earlier bodies
   */
  chargeBody(account: Pick<Viewer, 'id' | 'isEmailVerified'> | null, address: string, bytes: number): void {
    if (!this.isEnabled) return;
    if (account !== null) {
      const weighed = account.isEmailVerified === true ? bytes : UNVERIFIED_WEIGHT * bytes;
      const retryAfterSeconds = this.charge('account', 'bytes', account.id, weighed);
      if (retryAfterSeconds > 0) {
        const detail = `This account has sent too many bytes in a day; wait ${retryAfterSeconds} s.`;
        throw refusal('bytes', 'byte_budget_spent', detail, retryAfterSeconds);
      }
    }
    const more = Math.floor(bytes / BYTES_PER_WRITE);
    if (more === 0) return;
    if (account !== null) this.charge('account', 'writes', account.id, more);
    this.charge(account === null ? 'visitor' : 'address', 'writes', networkOf(address), more);
    const site = siteOf(address);
    if (site !== undefined) this.charge(account === null ? 'visitorSite' : 'addressSite', 'writes', site, more);
  }

  /** Counts one request of a network. @throws CodedError `rate_limited` */
  requireFrom(address: string, policy: RateLimitPolicy): void {
    if (this.isEnabled) requireAllowed(this.take(policy, null, address));
  }

  /** Refunds a request that should not count. */
  refundTo(address: string, policy: RateLimitPolicy): void {
    if (!this.isEnabled) return;
    const site = limitedSiteOf(policy, address);
    this.buckets.visitor[policy].refund(networkOf(address));
    if (site !== undefined) this.buckets.visitorSite[policy].refund(site);
    this.scheduleFlush();
  }

  /** Counts one request of an account, or of one of its sessions. @throws CodedError `rate_limited` */
  requireOf(id: string, policy: RateLimitPolicy): void {
    if (this.isEnabled) requireAllowed(this.spend('account', policy, id));
  }

  /** Counts a write of a new account, also without RATE_LIMIT_ENABLED. @throws CodedError `newcomer_limit` */
  requireNewcomer(accountId: string, kind: NewcomerKind): void {
    const buckets = this.buckets.account[`newcomer:${kind}`];
    const { isAllowed, retryAfterSeconds } = buckets.take(accountId);
    if (buckets.isDue) this.scheduleFlush();
    if (isAllowed) return;
    const detail = `A new account can make ${buckets.limit} ${kind} in 24 hours. Try again in ${retryAfterSeconds} s.`;
    throw refusal(`newcomer:${kind}`, 'newcomer_limit', detail, retryAfterSeconds);
  }

  /** Charges a read beyond one request, once its cost is known. @throws CodedError `rate_limited` while the account has a debt */
  chargeReads(accountId: string, count: number): void {
    if (!this.isEnabled || count <= 0) return;
    const retryAfterSeconds = this.charge('account', 'reads', accountId, count);
    if (retryAfterSeconds === 0) return;
    const detail = `Such pages count as ${count + 1} reads; wait ${retryAfterSeconds} s.`;
    throw refusal('reads', 'rate_limited', detail, retryAfterSeconds);
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeping);
    clearTimeout(this.flushing);
  }

  private spendOfNetwork(subject: 'visitor' | 'address', policy: RateLimitPolicy, address: string): RateLimitVerdict {
    const verdict = this.spend(subject, policy, networkOf(address));
    const site = verdict.isAllowed ? limitedSiteOf(policy, address) : undefined;
    if (site === undefined) return verdict;
    const wide = this.spend(subject === 'visitor' ? 'visitorSite' : 'addressSite', policy, site);
    return wide.isAllowed ? verdict : wide;
  }

  private spend(subject: Subject, policy: RateLimitPolicy, key: string): RateLimitVerdict {
    const buckets = this.buckets[subject][policy];
    const { isAllowed, remaining, resetSeconds, retryAfterSeconds } = buckets.take(key);
    if (buckets.isDue) {
      if (policy === 'auth') this.flush();
      else this.scheduleFlush();
    }
    // Copies field by field, because spreading took most of the time of a `spend`.
    return { isAllowed, remaining, resetSeconds, retryAfterSeconds, policy, limit: buckets.limit };
  }

  private charge(subject: Subject, policy: Counted, key: string, count: number): number {
    const buckets = this.buckets[subject][policy];
    const retryAfterSeconds = buckets.charge(key, count);
    if (buckets.isDue) this.scheduleFlush();
    return retryAfterSeconds;
  }

  private scheduleFlush(): void {
    this.flushing ??= setTimeout(() => this.flush(), this.shared.isUp ? 0 : FLUSH_EVERY_MS).unref();
  }

  private flush(): void {
    clearTimeout(this.flushing);
    this.flushing = undefined;
    const counts: SharedCount[] = [];
    this.forEach((subject, policy, buckets) => {
      for (const [key, count] of buckets.flush()) counts.push([subject, policy, key, count]);
    });
    if (counts.length === 0) return;
    if (this.shared.isUp) void this.share(counts);
    else this.bus.publish(CHANNEL, counts);
  }

  private async share(counts: SharedCount[]): Promise<void> {
    const deficits = await this.shared.take(
      counts.map(([subject, policy, key, count]) => {
        const buckets = this.buckets[subject][policy];
        const name = `${subject}:${policy}:${key}`;
        const maxDeficitMs = 2 * windowSecondsOf(policy) * 1_000;
        return { name, spentMs: buckets.refillMs(count), deficitMs: buckets.deficitMs(key), maxDeficitMs };
      }),
    );
    if (deficits === undefined) return this.bus.publish(CHANNEL, counts);
    for (const [at, [subject, policy, key]] of counts.entries())
      this.buckets[subject][policy].settle(key, deficits[at]!);
  }

  private forEach(visit: (subject: Subject, policy: Counted, buckets: RateLimitBuckets) => void): void {
    for (const subject of SUBJECTS) for (const policy of BUCKETS) visit(subject, policy, this.buckets[subject][policy]);
  }
}

/** Returns the seconds in which an empty bucket refills. */
export function windowSecondsOf(policy: Counted): number {
  if (policy === 'bytes' || policy.startsWith('newcomer:')) return DAY_SECONDS;
  return HOURLY.includes(policy) ? HOURLY_WINDOW_SECONDS : WINDOW_SECONDS;
}

/** @throws CodedError `rate_limited` */
export function requireAllowed({ isAllowed, limit, policy, retryAfterSeconds }: RateLimitVerdict): void {
  if (isAllowed) return;
  const detail = `More than ${limit} ${POLICIES[policy]} in ${windowSecondsOf(policy)} seconds; wait ${retryAfterSeconds} s.`;
  throw refusal(policy, 'rate_limited', detail, retryAfterSeconds);
}

function refusal(policy: Counted, code: ErrorCode, detail: string, retryAfterSeconds: number): CodedError {
  refused.inc({ policy });
  return new CodedError(code, detail, { retryAfterSeconds });
}

/** One person can register from many addresses of a /24, which other requests of many people may share. */
function limitedSiteOf(policy: RateLimitPolicy, address: string): string | undefined {
  return policy === 'registrations' ? wideNetworkOf(address) : siteOf(address);
}

function networksPerSite(policy: Counted): number {
  return policy === 'registrations' ? REGISTERING_NETWORKS_PER_SITE : NETWORKS_PER_SITE;
}
