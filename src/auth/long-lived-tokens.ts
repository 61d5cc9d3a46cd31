import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import type { Transaction } from '../platform/mongo/transaction.js';

type End = (userId: ObjectId, tx: Transaction) => Promise<string[]>;

/** Revokes the tokens of an account that belong to no session. The module of API tokens registers how. */
@Injectable()
export class LongLivedTokens {
  private end: End | undefined;

  register(end: End): void {
    this.end = end;
  }

  /** Revokes all tokens of an account, publishes that to other hosts, and returns the ids to publish on this host after the commit. */
  async revokeOf(userId: ObjectId, tx: Transaction): Promise<string[]> {
    return (await this.end?.(userId, tx)) ?? [];
  }
}
