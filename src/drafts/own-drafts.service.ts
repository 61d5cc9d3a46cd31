import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { readRows } from '../platform/mongo/readable-rows.js';
import { contentOf, DRAFT_FIELDS, type DraftCard, toDraftCard } from './draft-view.js';
import { Draft, OF_AUTHOR } from './draft.schema.js';

export type OwnDraft = { card: DraftCard; markdown: string };

/** All drafts of one account with their texts. */
@Injectable()
export class OwnDraftsService {
  constructor(@InjectModel(Draft.name) private readonly drafts: Model<Draft>) {}

  /** Streams drafts and deleted posts, last saved first. Reads all ids first, at most a few hundred. A draft saved during the read appears once, as saved. */
  async *stream(authorId: ObjectId): AsyncGenerator<OwnDraft, void, undefined> {
    const ids = await findMany(
      this.drafts,
      { authorId },
      { _id: 1 },
      {
        sort: { updatedAt: -1, _id: -1 },
        hint: OF_AUTHOR,
      },
    );
    for (const { _id } of ids) {
      const row = await findOne(this.drafts, { _id, authorId }, DRAFT_FIELDS);
      const rows = row === null ? [] : [row];
      yield* readRows(
        'export: drafts',
        rows,
        () => _id,
        (draft) => ({ card: toDraftCard(draft), markdown: contentOf(draft) }),
      );
    }
  }
}
