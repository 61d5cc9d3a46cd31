import { Injectable } from '@nestjs/common';
import type { ClientSession, ObjectId } from 'mongodb';

type End = (userId: ObjectId, session: ClientSession) => Promise<string[]>;

/** Tokens of an account that do not belong to a session. The module of API tokens registers how they are revoked. */
@Injectable()
export class LongLivedTokens {
  private end: End | undefined;

  register(end: End): void {
    this.end = end;
  }

  /** Revokes all of an account, publishes that to other hosts, and returns the ids: announce them after the commit. */
  async revokeOf(userId: ObjectId, session: ClientSession): Promise<string[]> {
    return (await this.end?.(userId, session)) ?? [];
  }
}
