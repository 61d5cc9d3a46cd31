import { Injectable } from '@nestjs/common';
import type { Binary, ObjectId } from 'mongodb';
import { MongoService } from '../mongo/mongo.service.js';
import { type MailCount, MailCountSchema } from './mail-count.schema.js';

/** To one address, of each kind: mails that strangers can cause do not use up the others. */
export const MAILS_PER_HOUR = 5;
const HOUR_MS = 3_600_000;

/** `isExpired`, and until when there were too many, by the clock of the database; null: it is counted. */
export type Counted = { isExpired: boolean; fullUntil: Date | null };

/** How many mails each recipient got in the last hour. */
@Injectable()
export class MailCounts {
  constructor(private readonly mongo: MongoService) {}

  /** Counts a mail, unless it has expired or there were too many. Atomic among hosts; another attempt counts once. */
  async add(recipient: Binary, id: ObjectId, goodUntil: Date): Promise<Counted> {
    const isRecent = { $gt: ['$$this.at', { $subtract: ['$$NOW', HOUR_MS] }] };
    const others = {
      $filter: { input: { $ifNull: ['$sent', []] }, cond: { $and: [isRecent, { $ne: ['$$this.id', id] }] } },
    };
    const isCounted = { $and: [{ $lt: [{ $size: '$sent' }, MAILS_PER_HOUR] }, { $gt: [goodUntil, '$$NOW'] }] };
    const sent = { $cond: [isCounted, { $concatArrays: ['$sent', [{ id, at: '$$NOW' }]] }, '$sent'] };
    const row = await this.mongo
      .collection(MailCountSchema)
      .findOneAndUpdate(
        { _id: recipient },
        [{ $set: { sent: others, expiresAt: { $add: ['$$NOW', HOUR_MS] } } }, { $set: { sent } }],
        { upsert: true, returnDocument: 'after', projection: { sent: 1, isExpired: { $lte: [goodUntil, '$$NOW'] } } },
      );
    const { sent: counted, isExpired } = row as unknown as MailCount & { isExpired: boolean };
    const isFull = !isExpired && !counted.some((mail) => mail.id.equals(id));
    return { isExpired, fullUntil: isFull ? new Date(counted[0]!.at.getTime() + HOUR_MS) : null };
  }
}
