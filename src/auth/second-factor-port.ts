import { Injectable } from '@nestjs/common';
import type { Credential } from './credential.schema.js';

/** An account after its first factor, with the time of its last password change. */
export type FirstFactor = Pick<Credential, '_id' | 'passwordChangedAt'>;
type Check = (account: FirstFactor) => Promise<void>;

/** Checks the second factor before a session opens. The module of second factors registers the check. */
@Injectable()
export class SecondFactorPort {
  private check: Check | undefined;

  register(check: Check): void {
    this.check = check;
  }

  /** @throws CodedError `second_factor_required` where the account has one */
  async requireSecondFactor(account: FirstFactor): Promise<void> {
    await this.check?.(account);
  }
}
