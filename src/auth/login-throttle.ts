import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Binary } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { networkOf } from '../common/networks.js';
import { AppConfig } from '../config/app-config.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { SignInFailures } from './sign-in-failures.js';

/** The account of a password check, and the address of the client. */
export type SignIn = {
  /** the counted key: an account by its names or by its address, or the typed text if there is no account; all are counted alike */
  account: string;
  address: string;
  /** whether the account has signed in from this network before; called only if the result matters */
  isKnownNetwork: () => Promise<boolean>;
};

/** One network, all accounts: about 74 guesses an hour. */
const NETWORK = { free: 10, longestMs: 60_000 };
/** All networks, one account by its names: about 67 guesses an hour, and as many by its address. */
const ACCOUNT = { free: 3, longestMs: 60_000 };
/** One network, one account: about 22 guesses an hour. */
const PAIR = { free: 3, longestMs: 300_000 };
const KEY_BYTES = 16;

/** A counted attempt: its id, and the rows that count it. */
type Attempt = { id: string; network: Binary; account: Binary; pair: Binary };

/**
 * Slows down password guessing on all hosts by growing delays per account and network, per account, and per network. Only the first one
 * applies on a network where the account has signed in before, so guesses of others lock out neither the owner nor an office.
 */
@Injectable()
export class LoginThrottle {
  readonly failures: SignInFailures;
  private readonly isEnabled: boolean;
  private readonly secret: string;

  constructor(config: AppConfig, mongo: MongoService) {
    this.isEnabled = config.rateLimit.isEnabled;
    this.secret = config.auth.tokenSecrets[0];
    this.failures = new SignInFailures(mongo);
  }

  /**
   * Runs `verify` if the delay has passed, and records its result.
   * @throws CodedError `rate_limited` with the seconds to wait
   */
  async guard(signIn: SignIn, verify: () => Promise<boolean>): Promise<boolean> {
    if (!this.isEnabled) return verify();
    const attempt = await this.begin(signIn);
    let isRight: boolean;
    try {
      isRight = await verify();
    } catch (error) {
      await this.undo(attempt, [attempt.network, attempt.account, attempt.pair]);
      throw error;
    }
    if (isRight) await this.forgive(attempt);
    return isRight;
  }

  /** Counts the network first, so that a refused network adds no row, for any number of names. */
  private async begin({ account, address, isKnownNetwork }: SignIn): Promise<Attempt> {
    const network = networkOf(address);
    const attempt: Attempt = {
      id: randomBytes(9).toString('base64url'),
      network: this.keyOf(`network ${network}`),
      account: this.keyOf(`account ${account}`),
      pair: this.keyOf(`pair ${account} ${network}`),
    };
    const counted: Binary[] = [];
    let isKnown: boolean | undefined;
    for (const [row, rule] of [
      [attempt.network, NETWORK],
      [attempt.account, ACCOUNT],
      [attempt.pair, PAIR],
    ] as const) {
      let waitMs = await this.failures.count(row, attempt.id, rule);
      if (waitMs > 0 && rule !== PAIR && (isKnown ??= await isKnownNetwork()))
        waitMs = await this.failures.count(row, attempt.id, rule, true);
      if (waitMs > 0) {
        await this.undo(attempt, counted);
        throw tooMany(Math.ceil(waitMs / 1_000));
      }
      counted.push(row);
    }
    return attempt;
  }

  /** Removes the failures of this account and network only. */
  private async forgive({ id, network, account, pair }: Attempt): Promise<void> {
    const forgiven = await this.failures.delete(pair);
    await Promise.all([network, account].map((row) => this.failures.undo(row, id, forgiven)));
  }

  private async undo({ id }: Attempt, rows: Binary[]): Promise<void> {
    await Promise.all(rows.map((row) => this.failures.undo(row, id)));
  }

  private keyOf(what: string): Binary {
    const mac = createHmac('sha256', `sign-in:${this.secret}`).update(what).digest();
    return new Binary(mac.subarray(0, KEY_BYTES));
  }
}

function tooMany(retryAfterSeconds: number): CodedError {
  return new CodedError('rate_limited', 'Too many failed attempts to sign in.', { retryAfterSeconds });
}
