import { Injectable } from '@nestjs/common';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { networkOf } from '../common/networks.js';
import { FailureCounts } from './failure-counts.js';

/** Who a password is checked for, and from where. */
export type SignIn = {
  /** the id of the account, or the name that was typed when there is none: both are treated alike */
  account: string;
  address: string;
  /** whether the account has signed in from there before; asked only when that decides */
  isKnownNetwork: () => Promise<boolean>;
};

type Step = 'begun' | 'wrong' | 'right' | 'abandoned';
type SignInStep = { account: string; network: string; step: Step };

/** The wait of one network for one account: about 22 guesses an hour. */
const PAIR = { free: 3, longestMs: 300_000 };
/** What all networks together may guess at one account: about 67 an hour. */
const ACCOUNT = { free: 3, longestMs: 60_000 };
/** What one network may guess at all accounts: about 74 an hour. */
const NETWORK = { free: 10, longestMs: 60_000 };
const CHANNEL = 'sign-in';

/**
 * Makes guessing passwords slow: a growing wait per account and network, per account, and per network. The last two could keep the
 * owner out while others guess, or an office for the mistakes of one, so they do not hold for an account where it has signed in before.
 * Shared by the workers of a host; each host counts for itself, so several let through as many times the guesses.
 */
@Injectable()
export class SignInDelays {
  /** milliseconds; a test puts a clock of its own here */
  now: () => number = () => performance.now();
  private readonly pairs = new FailureCounts(PAIR, () => this.now());
  private readonly accounts = new FailureCounts(ACCOUNT, () => this.now());
  private readonly networks = new FailureCounts(NETWORK, () => this.now());
  private readonly isEnabled: boolean;

  constructor(
    config: AppConfig,
    private readonly bus: ClusterBus,
  ) {
    this.isEnabled = config.rateLimit.isEnabled;
    bus.subscribe<SignInStep>(CHANNEL, (told) => this.count(told));
  }

  /**
   * Lets `verify` check the password when its time has come, and counts how that ended.
   * @throws CodedError `rate_limited` with the seconds to wait
   */
  async guard({ account, address, isKnownNetwork }: SignIn, verify: () => Promise<boolean>): Promise<boolean> {
    if (!this.isEnabled) return verify();
    const network = networkOf(address);
    const pair = `${account} ${network}`;
    let waitMs = this.pairs.waitMs(pair);
    if (waitMs === 0) {
      waitMs = Math.max(this.accounts.waitMs(account), this.networks.waitMs(network));
      // the pair again: others may have begun since
      if (waitMs > 0 && (await isKnownNetwork())) waitMs = this.pairs.waitMs(pair);
    }
    if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1_000));
    this.tell({ account, network, step: 'begun' });
    let step: Step = 'abandoned';
    try {
      const isRight = await verify();
      step = isRight ? 'right' : 'wrong';
      return isRight;
    } finally {
      this.tell({ account, network, step });
    }
  }

  private tell(told: SignInStep): void {
    this.count(told);
    this.bus.publish(CHANNEL, told);
  }

  private count({ account, network, step }: SignInStep): void {
    const pair = `${account} ${network}`;
    if (step === 'begun' || step === 'wrong') {
      const how = step === 'begun' ? 'begun' : 'failed';
      this.pairs[how](pair);
      this.accounts[how](account);
      this.networks[how](network);
      return;
    }
    // a right password takes back the failures of its account and network, and of no other
    const forgiven = this.pairs.ended(pair, step === 'right' ? Infinity : 0);
    this.accounts.ended(account, step === 'right' ? forgiven : 0);
    this.networks.ended(network, step === 'right' ? forgiven : 0);
  }
}

function tooMany(retryAfterSeconds: number): CodedError {
  const detail = `Too many failed attempts to sign in; wait ${retryAfterSeconds} s.`;
  return new CodedError('rate_limited', detail, { retryAfterSeconds });
}
