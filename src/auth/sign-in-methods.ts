import { Injectable } from '@nestjs/common';
import type { ClientSession, ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { CredentialsService } from './credentials.service.js';

/** What a room adds to the ways of signing in to an account. */
export type SignInMethod = {
  /** how many ways into the account it has; absent: none, it is asked for beside another one */
  count?: (userId: ObjectId, session: ClientSession) => Promise<number>;
  removeAddedSince: (userId: ObjectId, since: Date, session: ClientSession) => Promise<unknown>;
};

/** What accounts sign in with beside their password; each room registers its own. */
@Injectable()
export class SignInMethods {
  private readonly methods: SignInMethod[] = [];

  constructor(private readonly credentials: CredentialsService) {}

  register(method: SignInMethod): void {
    this.methods.push(method);
  }

  /**
   * Ask in the transaction that took one away: of two that take the last two, one runs again.
   * @throws CodedError `last_sign_in_method` when none is left
   */
  async requireOne(userId: ObjectId, session: ClientSession): Promise<void> {
    const credential = await this.credentials.lock(userId, session);
    if (credential === null || credential.passwordHash !== null) return;
    for (const { count } of this.methods) if (((await count?.(userId, session)) ?? 0) > 0) return;
    throw new CodedError('last_sign_in_method', 'Set a password or add another sign-in method first.');
  }

  /** For an account that is taken back. One who had it may be adding some at this moment: lock the credentials first. */
  async removeAddedSince(userId: ObjectId, since: Date, session: ClientSession): Promise<void> {
    for (const method of this.methods) await method.removeAddedSince(userId, since, session);
  }
}
