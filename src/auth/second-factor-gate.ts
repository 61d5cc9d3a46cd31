import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';

type Check = (userId: ObjectId) => Promise<void>;

/** What stands between the first factor and a sign-in. The room of second factors registers its check here. */
@Injectable()
export class SecondFactorGate {
  private check: Check | undefined;

  register(check: Check): void {
    this.check = check;
  }

  /** @throws CodedError `second_factor_required` where the account has one */
  async pass(userId: ObjectId): Promise<void> {
    await this.check?.(userId);
  }
}
