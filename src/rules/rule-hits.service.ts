import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type RuleHit, RuleHits } from './content-rule.schema.js';
import { MAX_HITS } from './rule-kinds.js';

/** The latest texts that rules have matched. */
@Injectable()
export class RuleHitsService {
  private readonly logger = new Logger('Rules');

  constructor(@InjectModel(RuleHits.name) private readonly hits: Model<RuleHits>) {}

  /** Creates the row of a new rule. */
  async create(_id: ObjectId, tx: Transaction): Promise<void> {
    await this.hits.insertOne({ _id, latest: [] }, { session: tx.session });
  }

  async delete(_id: ObjectId, tx: Transaction): Promise<void> {
    await this.hits.deleteOne({ _id }, { session: tx.session });
  }

  /** Returns the hits of a rule, latest first, or null if the rule does not exist. */
  async find(_id: ObjectId): Promise<RuleHit[] | null> {
    const row = await findOne(this.hits, { _id }, { latest: 1 });
    return row === null ? null : row.latest.reverse();
  }

  /** Adds a hit to each rule, outside of transactions, because concurrent texts match the same rules. A failure is only logged. */
  async add(ruleIds: readonly ObjectId[], hit: RuleHit): Promise<void> {
    if (ruleIds.length === 0) return;
    const $push = { latest: { $each: [hit], $slice: -MAX_HITS } };
    await this.hits
      .updateMany({ _id: { $in: [...ruleIds] } }, { $push })
      .catch((error: unknown) => this.logger.warn(`hits of rules were not stored: ${String(error)}`));
  }
}
