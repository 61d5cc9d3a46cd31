import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { CredentialsService } from './credentials.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';

/** A way to sign in that a module registers. */
export type SignInMethod = {
  /** number of ways to sign in; absent: the method works only beside another one */
  count?: (userId: ObjectId, tx: Transaction) => Promise<number>;
  deleteAddedSince: (userId: ObjectId, since: Date, tx: Transaction) => Promise<unknown>;
};

/** The ways to sign in beside the password; each module registers its own. */
@Injectable()
export class SignInMethods {
  private readonly methods: SignInMethod[] = [];

  constructor(private readonly credentials: CredentialsService) {}

  register(method: SignInMethod): void {
    this.methods.push(method);
  }

  /**
   * Runs in the transaction that removed a way to sign in: of two that remove the last two, one runs again.
   * @throws CodedError `last_sign_in_method` when none remains
   */
  async requireOne(userId: ObjectId, tx: Transaction): Promise<void> {
    const credential = await this.credentials.lock(userId, tx);
    if (credential === null || credential.passwordHash !== null) return;
    for (const { count } of this.methods) if (((await count?.(userId, tx)) ?? 0) > 0) return;
    throw new CodedError('last_sign_in_method', 'Set a password or add another sign-in method first.');
  }

  /** Removes sign-in methods in a recovery. Lock the credentials first, because a thief may be adding one concurrently. */
  async deleteAddedSince(userId: ObjectId, since: Date, tx: Transaction): Promise<void> {
    for (const method of this.methods) await method.deleteAddedSince(userId, since, tx);
  }
}
