import { Injectable } from '@nestjs/common';

type LookUp = (accountId: string) => Promise<boolean>;

/** Tokens keep for minutes that an address was not verified. Before that refuses anything, the room of accounts is asked. */
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
