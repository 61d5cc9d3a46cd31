import { Injectable } from '@nestjs/common';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { ClusterBus } from '../cluster/bus.js';
import { networkOf } from './networks.js';

type Failures = { count: number; lastAt: number; pending: number; pendingSince: number };
type Told = { account: string; address: string; isFailure: boolean };

/**
 * `free` failures cost nothing; each further one doubles the wait, from a second up to the longest. For an account the longest is
 * short: whoever knows a name could keep its owner out otherwise. An address has no owner to protect.
 */
const ACCOUNT = { free: 3, longestMs: 30_000 };
const ADDRESS = { free: 10, longestMs: 900_000 };
const FORGET_AFTER_MS = 3_600_000;
/** an attempt whose end was never told (the server was too busy to check it) no longer counts */
const PENDING_MS = 10_000;
const MAX_KEYS = 50_000;
const CHANNEL = 'sign-in';

/** Makes guessing passwords slow: a growing wait per account, known or not, and per address, shared by the workers of a host. */
@Injectable()
export class SignInDelays {
  private readonly failures = new Map<string, Failures>();
  private readonly isEnabled: boolean;

  constructor(
    config: AppConfig,
    private readonly bus: ClusterBus,
  ) {
    this.isEnabled = config.rateLimit.isEnabled;
    bus.subscribe<Told>(CHANNEL, ({ account, address, isFailure }) => this.count(account, address, isFailure));
  }

  /** @throws CodedError `rate_limited` with the seconds to wait; otherwise `failed` or `succeeded` must follow */
  async check(account: string, { address }: { address: string }): Promise<void> {
    if (!this.isEnabled) return;
    const keys = keysOf(account, address);
    const waitMs = Math.max(this.waitOf(keys.account, ACCOUNT), this.waitOf(keys.address, ADDRESS));
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1_000);
      const detail = `Too many failed attempts to sign in; wait ${retryAfterSeconds} s.`;
      throw new CodedError('rate_limited', detail, { retryAfterSeconds });
    }
    const entry = this.entry(keys.account);
    entry.pending++;
    entry.pendingSince = performance.now();
  }

  async failed(account: string, { address }: { address: string }): Promise<void> {
    this.ended(account, address, true);
  }

  async succeeded(account: string, { address }: { address: string }): Promise<void> {
    this.ended(account, address, false);
  }

  private ended(account: string, address: string, isFailure: boolean): void {
    if (!this.isEnabled) return;
    const entry = this.entry(keysOf(account, address).account);
    entry.pending = Math.max(0, entry.pending - 1);
    this.count(account, address, isFailure);
    this.bus.publish(CHANNEL, { account, address, isFailure } satisfies Told);
  }

  private count(account: string, address: string, isFailure: boolean): void {
    const keys = keysOf(account, address);
    if (!isFailure) {
      // the address keeps its record: one good account does not pay for guessing at others
      this.failures.delete(keys.account);
      return;
    }
    for (const key of [keys.account, keys.address]) {
      const entry = this.entry(key);
      entry.count++;
      entry.lastAt = performance.now();
    }
  }

  private waitOf(key: string, { free, longestMs }: { free: number; longestMs: number }): number {
    const entry = this.failures.get(key);
    if (entry === undefined) return 0;
    const now = performance.now();
    if (now - entry.pendingSince > PENDING_MS) entry.pending = 0;
    if (entry.pending === 0 && now - entry.lastAt > FORGET_AFTER_MS) {
      this.failures.delete(key);
      return 0;
    }
    // guesses sent at once are guesses all the same
    if (entry.count + entry.pending < free) return 0;
    if (entry.pending > 0) return 1_000;
    return entry.lastAt + Math.min(longestMs, 1_000 * 2 ** Math.min(entry.count - free, 20)) - now;
  }

  private entry(key: string): Failures {
    let entry = this.failures.get(key);
    if (entry === undefined) {
      if (this.failures.size >= MAX_KEYS) this.failures.delete(this.failures.keys().next().value!);
      entry = { count: 0, lastAt: performance.now(), pending: 0, pendingSince: 0 };
      this.failures.set(key, entry);
    }
    return entry;
  }
}

function keysOf(account: string, address: string): { account: string; address: string } {
  return { account: `account:${account}`, address: `address:${networkOf(address)}` };
}
