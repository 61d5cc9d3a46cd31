import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { readRows } from '../platform/mongo/readable-rows.js';
import { frontMatter, presentLabels } from '../posts/stored-labels.js';
import { Exported, type ExportedFile } from '../users/exported.decorator.js';
import { contentOf, DRAFT_FIELDS, type DraftCard, toDraftCard } from './draft-view.js';
import { Draft, OF_AUTHOR } from './draft.schema.js';

/** All drafts of one account with their texts. */
@Injectable()
export class OwnDraftsService {
  constructor(@InjectModel(Draft.name) private readonly drafts: Model<Draft>) {}

  /** Streams drafts and deleted posts, last saved first. Reads all ids first, at most a few hundred. A draft saved during the read appears once, as saved. */
  @Exported('drafts/')
  async *stream(authorId: ObjectId): AsyncGenerator<ExportedFile, void, undefined> {
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
        (draft) => toFile(toDraftCard(draft), contentOf(draft)),
      );
    }
  }
}

/** Uses the id, because a draft may have no title yet, and titles may repeat. */
function toFile(card: DraftCard, markdown: string): ExportedFile {
  const { id, postId, publishAt, createdAt, savedAt } = card;
  const head = frontMatter({ id, postId, ...presentLabels(card), publishAt, createdAt, savedAt });
  return { name: `${createdAt.slice(0, 10)}-${id}.md`, content: [head, markdown] };
}
