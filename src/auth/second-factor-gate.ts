import { Injectable } from '@nestjs/common';
import type { CredentialRow } from './credential.schema.js';

/** One who has shown the first factor, with the password of the time. */
export type FirstFactor = Pick<CredentialRow, '_id' | 'passwordChangedAt'>;
type Check = (account: FirstFactor) => Promise<void>;

/** What stands between the first factor and a sign-in. The room of second factors registers its check here. */
@Injectable()
export class SecondFactorGate {
  private check: Check | undefined;

  register(check: Check): void {
    this.check = check;
  }

  /** @throws CodedError `second_factor_required` where the account has one */
  async pass(account: FirstFactor): Promise<void> {
    await this.check?.(account);
  }
}
