import { Injectable } from '@nestjs/common';

type LookUp = (accountId: string) => Promise<boolean>;

/** A token says for minutes that an address is unverified, so accounts are asked before a refusal. */
@Injectable()
export class EmailVerification {
  private lookUp: LookUp | undefined;

  register(lookUp: LookUp): void {
    this.lookUp = lookUp;
  }

  async isVerified(accountId: string): Promise<boolean> {
    return (await this.lookUp?.(accountId)) === true;
  }
}
