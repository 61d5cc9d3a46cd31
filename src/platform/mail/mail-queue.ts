import { Injectable } from '@nestjs/common';
import type { Collection, Document } from 'mongodb';
import { MongoService } from '../mongo/mongo.service.js';
import { MAIL_QUEUE, type QueuedMail, QueuedMailSchema } from './mail.schema.js';
import { mailsTotal } from './mail-metrics.js';

/** After the n-th attempt; after the last there is no other. */
export const RETRY_MINUTES = [1, 5, 15, 60, 180, 360, 720];
/** To one address, of what is counted together: what others can bring about takes no place of anything else. */
export const MAILS_PER_HOUR = 5;

const MINUTE_MS = 60_000;
const COUNTED_AT_MOST = 100_000;

/** The rows of mails; the caller holds the lease, so no other process claims or ends them. */
@Injectable()
export class MailQueue {
  constructor(private readonly mongo: MongoService) {}

  async isDue(): Promise<boolean> {
    return (await this.rows.findOne(due(), { projection: { _id: 1 } })) !== null;
  }

  /** Bounded: an endless queue counts as its limit. */
  waiting(): Promise<number> {
    return this.rows.countDocuments({ nextAt: { $type: 'date' } }, { limit: COUNTED_AT_MOST });
  }

  /** The next mail that is due, or null. Its next attempt is written first: after a kill it is sent again a minute later. */
  async claim(): Promise<QueuedMail | null> {
    for (;;) {
      const row = await this.rows.findOne(due(), { sort: { nextAt: 1 } });
      if (row === null) return null;
      const [now] = await this.rows
        .aggregate<{ isOver: boolean; sent: number; firstAt: Date | null }>(this.around(row))
        .toArray();
      if (now === undefined) continue;
      if (now.isOver) await this.end(row, 'expired');
      else if (row.ifTooMany === 'send' || now.sent < MAILS_PER_HOUR) {
        const claimed = await this.tryNow(row);
        // another sender, whose lease has ended or begins, was quicker
        if (claimed !== null) return claimed;
      } else if (row.ifTooMany === 'drop') await this.end(row, 'dropped');
      else await this.rows.updateOne({ _id: row._id }, { $set: { nextAt: inAnHour(now.firstAt!) } });
    }
  }

  /** Address and text go with the end. */
  async end(
    { _id }: QueuedMail,
    state: Exclude<QueuedMail['state'], 'waiting'>,
    lastError: string | null = null,
  ): Promise<void> {
    await this.rows.updateOne({ _id }, { $set: { state, lastError }, $unset: { sealed: '', nextAt: '' } });
    mailsTotal.inc({ outcome: state });
  }

  /** It was not taken now; the time of the next attempt stands since the claim. After the last it is refused. */
  async fail(row: QueuedMail, lastError: string): Promise<void> {
    if (row.attempts > RETRY_MINUTES.length) return this.end(row, 'refused', lastError);
    await this.rows.updateOne({ _id: row._id }, { $set: { lastError } });
    mailsTotal.inc({ outcome: 'retried' });
  }

  /** It was not tried after all: the process ends. */
  async giveBack({ _id, attempts }: QueuedMail): Promise<void> {
    await this.rows.updateOne({ _id, state: 'waiting', attempts }, [{ $set: { nextAt: '$$NOW' } }]);
  }

  private tryNow({ _id, attempts }: QueuedMail): Promise<QueuedMail | null> {
    const minutes = RETRY_MINUTES[Math.min(attempts, RETRY_MINUTES.length - 1)]!;
    const change = {
      attempts: attempts + 1,
      triedAt: '$$NOW',
      nextAt: { $add: ['$$NOW', minutes * MINUTE_MS] },
    };
    const asSeen = { _id, state: 'waiting' as const, attempts };
    return this.rows.findOneAndUpdate(asSeen, [{ $set: change }], { returnDocument: 'after' });
  }

  /** Of a row: whether its time has ended, and what else its address got that counts with it, in the last hour. */
  private around({ _id, recipient, ifTooMany }: QueuedMail): Document[] {
    const lastHour = { $gt: ['$triedAt', { $subtract: ['$$NOW', 60 * MINUTE_MS] }] };
    const others = [
      { $match: { recipient, ifTooMany, triedAt: { $type: 'date' }, _id: { $ne: _id }, $expr: lastHour } },
      { $sort: { triedAt: 1 } },
      { $limit: MAILS_PER_HOUR },
      { $project: { triedAt: 1 } },
    ];
    return [
      { $match: { _id } },
      { $lookup: { from: MAIL_QUEUE, pipeline: others, as: 'others' } },
      {
        $project: {
          isOver: { $lte: ['$goodUntil', '$$NOW'] },
          sent: { $size: '$others' },
          firstAt: { $min: '$others.triedAt' },
        },
      },
    ];
  }

  private get rows(): Collection<QueuedMail> {
    return this.mongo.collection(QueuedMailSchema);
  }
}

function due(): Document {
  return { nextAt: { $type: 'date' }, $expr: { $lte: ['$nextAt', '$$NOW'] } };
}

function inAnHour(date: Date): Date {
  return new Date(date.getTime() + 60 * MINUTE_MS);
}
