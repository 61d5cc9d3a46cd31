import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import type { Viewer } from '../platform/access/viewer.js';
import { Appeal } from './appeal.schema.js';
import type { Transaction } from '../platform/mongo/transaction.js';

/** Closes the appeals of actions that a moderator reverses without a decision. */
@Injectable()
export class ReversedAppealsService {
  constructor(@InjectModel(Appeal.name) private readonly appeals: Model<Appeal>) {}

  /** Accepts the open appeal against an action, if there is one, in the transaction that reverses the action. */
  async accept(actionId: ObjectId, by: Viewer | null, reason: string, tx: Transaction): Promise<void> {
    const decidedBy = by && by._id;
    const $set = { state: 'accepted', decidedBy, decidedAt: new Date(), reason } as const;
    await this.appeals.updateOne(
      { _id: actionId, state: 'open' },
      { $set },
      { session: tx.session, runValidators: true },
    );
  }
}
