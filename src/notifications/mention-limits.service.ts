import { Injectable } from '@nestjs/common';
import type { Collection } from 'mongodb';
import type { Fact } from '../activity/activity-facts.js';
import { uniqueIds } from '../common/unique-ids.js';
import { byIds, type UpdateStatement } from '../platform/mongo/update-statements.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { UsersService } from '../users/users.service.js';
import { type NotificationState, NotificationStateSchema } from './notification.schema.js';

const DAY_MS = 86_400_000;
/** limit per author and day (UTC) */
const MAX_PER_DAY = 200;
/** limit for accounts younger than a day */
const MAX_PER_DAY_NEW_ACCOUNT = 20;

/** Limits how many mentions of one author notify others. The texts still contain the mentions. */
@Injectable()
export class MentionLimitsService {
  private readonly states: Collection<NotificationState>;

  constructor(
    mongo: MongoService,
    private readonly users: UsersService,
  ) {
    this.states = mongo.collection(NotificationStateSchema);
  }

  /** Counts mentions and returns those within the limits of their authors, in order. Drops mentions by deleted authors. */
  async consume(facts: readonly Fact[], tx: Transaction): Promise<Fact[]> {
    const authors = uniqueIds(facts.map(({ actor }) => actor));
    if (authors.length === 0) return [];
    const now = Date.now();
    const day = Math.floor(now / DAY_MS);
    const accounts = await this.users.findParts(authors, ['createdAt'], tx);
    const fields = { mentions: 1 };
    const rows = await tx.find<NotificationState>(this.states, byIds(authors), fields, authors.length);
    const counts = new Map(
      rows.map(({ _id, mentions }) => [_id.toHexString(), mentions?.day === day ? mentions.count : 0]),
    );
    const limits = new Map(
      accounts.map(({ _id, createdAt }) => [
        _id.toHexString(),
        now - createdAt.getTime() < DAY_MS ? MAX_PER_DAY_NEW_ACCOUNT : MAX_PER_DAY,
      ]),
    );
    const allowed = facts.filter(({ actor }) => {
      const author = actor.toHexString();
      const count = counts.get(author) ?? 0;
      if (count >= (limits.get(author) ?? 0)) return false;
      counts.set(author, count + 1);
      return true;
    });
    const statements = uniqueIds(allowed.map(({ actor }) => actor)).map((_id): UpdateStatement => {
      return { q: { _id }, u: { $set: { mentions: { day, count: counts.get(_id.toHexString()) } } }, upsert: true };
    });
    await tx.update(this.states, statements);
    return allowed;
  }
}
