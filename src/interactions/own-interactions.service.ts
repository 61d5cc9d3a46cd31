import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, streamRows } from '../platform/mongo/lean-reads.js';
import { Exported } from '../users/exported.decorator.js';
import { idsOfKind, type InteractionKind } from './interaction-id.js';
import { Interaction } from './interaction.schema.js';

const BATCH = 500;
const FIELDS = { targetModel: 1, targetId: 1, value: 1, createdAt: 1 } as const;

type OwnInteraction = Pick<Interaction, '_id' | keyof typeof FIELDS>;

/** Streams the votes, saves, followed collections and hidden posts of one account. */
@Injectable()
export class OwnInteractionsService {
  constructor(@InjectModel(Interaction.name) private readonly rows: Model<Interaction>) {}

  @Exported('votes.jsonl')
  async *votes(userId: ObjectId): AsyncGenerator<object, void, undefined> {
    for await (const { value, createdAt, ...row } of this.stream(userId, 'vote'))
      yield { ...targetOf(row), value, createdAt };
  }

  @Exported('saved.jsonl')
  saved(userId: ObjectId): AsyncGenerator<object, void, undefined> {
    return this.targets(userId, 'save');
  }

  @Exported('hidden.jsonl')
  hidden(userId: ObjectId): AsyncGenerator<object, void, undefined> {
    return this.targets(userId, 'hide');
  }

  @Exported('followed-collections.jsonl')
  followed(userId: ObjectId): AsyncGenerator<object, void, undefined> {
    return this.targets(userId, 'follow');
  }

  private async *targets(userId: ObjectId, kind: InteractionKind): AsyncGenerator<object, void, undefined> {
    for await (const { createdAt, ...row } of this.stream(userId, kind)) yield { ...targetOf(row), createdAt };
  }

  /** Streams rows ordered by target id: one range of the primary key. */
  private stream(userId: ObjectId, kind: InteractionKind): AsyncGenerator<OwnInteraction, void, undefined> {
    const { $gte, $lte } = idsOfKind(userId, kind);
    return streamRows<OwnInteraction>(BATCH, (last, limit) => {
      const from = last === null ? { $gte } : { $gt: last._id };
      return findMany(this.rows, { _id: { ...from, $lte } }, FIELDS, { sort: { _id: 1 }, limit });
    });
  }
}

function targetOf({ targetModel, targetId }: Pick<Interaction, 'targetModel' | 'targetId'>): object {
  return { target: targetModel.toLowerCase(), id: targetId };
}
