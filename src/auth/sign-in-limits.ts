import { Injectable } from '@nestjs/common';

/** Where a request comes from, as far as the configured proxies let us know. */
export type ClientInfo = { address: string; userAgent: string };

/**
 * Slows down those who guess passwords. AuthService asks before it checks one and tells how it ended; `account` is what was
 * typed, lowercased, whether it exists or not, so a limit treats known and unknown accounts alike. Provided as a token of its
 * own: the rate limiter replaces this one, which lets everybody in.
 */
@Injectable()
export class SignInLimits {
  /** @throws CodedError `rate_limited` with the seconds to wait */
  async check(_account: string, _client: ClientInfo): Promise<void> {}

  async failed(_account: string, _client: ClientInfo): Promise<void> {}

  async succeeded(_account: string, _client: ClientInfo): Promise<void> {}
}
