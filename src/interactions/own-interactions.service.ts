import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, inBatches } from '../platform/mongo/lean-reads.js';
import { interactionId, type InteractionKind } from './interaction-id.js';
import { Interaction } from './interaction.schema.js';

const BATCH = 500;
const FIELDS = { targetModel: 1, targetId: 1, value: 1, createdAt: 1 } as const;
const FIRST_ID = new ObjectId(new Uint8Array(12));
const LAST_ID = new ObjectId(new Uint8Array(12).fill(0xff));

export type OwnInteraction = Pick<Interaction, '_id' | keyof typeof FIELDS>;

/** Streams the votes, saves and followed collections of one account. */
@Injectable()
export class OwnInteractions {
  constructor(@InjectModel(Interaction.name) private readonly rows: Model<Interaction>) {}

  /** Streams rows ordered by target id: one range of the primary key. */
  stream(userId: ObjectId, kind: InteractionKind): AsyncGenerator<OwnInteraction, void, undefined> {
    const $lte = interactionId(userId, kind, LAST_ID);
    return inBatches<OwnInteraction>((last) => {
      const from = last === null ? { $gte: interactionId(userId, kind, FIRST_ID) } : { $gt: last._id };
      return findMany(this.rows, { _id: { ...from, $lte } }, FIELDS, { sort: { _id: 1 }, limit: BATCH });
    });
  }
}
