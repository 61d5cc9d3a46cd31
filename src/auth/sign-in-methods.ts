import { Injectable } from '@nestjs/common';
import type { ClientSession, ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { CredentialsService } from './credentials.service.js';

type Count = (userId: ObjectId, session: ClientSession) => Promise<number>;

/** The ways into an account beside its password; each room registers the count of its own. */
@Injectable()
export class SignInMethods {
  private readonly counts: Count[] = [];

  constructor(private readonly credentials: CredentialsService) {}

  register(count: Count): void {
    this.counts.push(count);
  }

  /**
   * Ask in the transaction that took one away: of two that take the last two, one runs again.
   * @throws CodedError `last_sign_in_method` when none is left
   */
  async requireOne(userId: ObjectId, session: ClientSession): Promise<void> {
    const credential = await this.credentials.lock(userId, session);
    if (credential === null || credential.passwordHash !== null) return;
    for (const count of this.counts) if ((await count(userId, session)) > 0) return;
    throw new CodedError('last_sign_in_method', 'Choose a password or add another way to sign in first.');
  }
}
