import { Injectable } from '@nestjs/common';

type LookUp = (accountId: string) => Promise<boolean>;

/** A token may be minutes older than the verification, so the account is read before a refusal. */
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
