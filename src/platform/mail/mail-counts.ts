import { Injectable } from '@nestjs/common';
import type { Binary, ObjectId } from 'mongodb';
import { MongoService } from '../mongo/mongo.service.js';
import { type MailCount, MailCountSchema } from './mail-count.schema.js';
import { MailDaySchema } from './mail-day.schema.js';

/** Limit per address and kind of mail, so that mails that strangers can cause do not use up the limit of other kinds. */
export const MAILS_PER_HOUR = 5;
const HOUR_MS = 3_600_000;

/** `fullUntil` is when the limit allows the next mail (clock of the database), or null if the mail was counted or has expired. */
export type Counted = { isExpired: boolean; fullUntil: Date | null };

/** Counts the mails to each recipient in the last hour. */
@Injectable()
export class MailCounts {
  constructor(private readonly mongo: MongoService) {}

  async addSent(): Promise<void> {
    const _id = new Date().toISOString().slice(0, 10);
    await this.mongo.collection(MailDaySchema).updateOne({ _id }, { $inc: { sent: 1 } }, { upsert: true });
  }

  /** @param day `yyyy-mm-dd` (UTC) */
  async sentOn(day: string): Promise<number> {
    return (await this.mongo.collection(MailDaySchema).findOne({ _id: day }))?.sent ?? 0;
  }

  /** Counts a mail, unless it has expired or the limit is reached. Atomic across hosts; another attempt is not counted again. */
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
