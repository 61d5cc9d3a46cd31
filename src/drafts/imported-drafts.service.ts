import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { MediaRefsService } from '../media/media-refs.service.js';
import { ImageLookupService } from '../media/image-lookup.service.js';
import { DtoPipe } from '../platform/http/validation/validation.pipe.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { contentOf, DRAFT_FIELDS } from './draft-view.js';
import { Draft, OF_IMPORT } from './draft.schema.js';
import { DRAFT_REMOVED } from './drafts.events.js';
import { SaveDraft } from './dto/draft-input.dto.js';
import { newDraft } from './new-draft.js';

/** per account */
export const MAX_IMPORTED_DRAFTS = 5_000;
const UNPUBLISHED = { $in: ['open', 'failed'] } as const;

/** The position in the drafts of an import, first published first. */
export type ImportedPosition = { importedAt: Date; draftId: ObjectId };
export type ImportedDraft = Draft & Required<Pick<Draft, 'importedAt' | 'importId'>>;

/** Drafts from archives of other platforms, which have a limit of their own. */
@Injectable()
export class ImportedDraftsService {
  private readonly pipe = new DtoPipe();

  constructor(
    private readonly mediaRefs: MediaRefsService,
    private readonly lookup: ImageLookupService,
    @InjectModel(Draft.name) private readonly drafts: Model<Draft>,
  ) {}

  /** @returns the number of imported drafts of an account */
  count(authorId: ObjectId): Promise<number> {
    return countImported(this.drafts, authorId);
  }

  /** Returns the number of drafts of an import that were published elsewhere. */
  countDated(authorId: ObjectId, importId: ObjectId): Promise<number> {
    const dated = { authorId, importId, importedAt: { $type: 'date' as const } };
    return this.drafts.countDocuments(dated, { limit: MAX_IMPORTED_DRAFTS, hint: OF_IMPORT });
  }

  /** Creates the row of a draft by the rules of `POST /v1/drafts`. @throws CodedError `invalid_input` */
  async prepare(
    authorId: ObjectId,
    fields: SaveDraft,
    origin: Pick<Draft, 'importId' | 'reservedId' | 'importedAt'>,
  ): Promise<Draft> {
    const valid = (await this.pipe.transform(fields, { type: 'body', metatype: SaveDraft })) as SaveDraft;
    return { ...newDraft(authorId, null, await this.lookup.resolveThumbnail(authorId, valid)), ...origin };
  }

  async insert(row: Draft, tx: Transaction): Promise<void> {
    await this.drafts.insertOne(row, { session: tx.session });
    const holder = { holderId: row._id, ownerId: row.authorId };
    await this.mediaRefs.attach([contentOf(row), row.thumbnailUrl], holder, tx);
  }

  async exists(_id: ObjectId): Promise<boolean> {
    return (await findOne(this.drafts, { _id }, { _id: 1 })) !== null;
  }

  /** Returns the next draft of the import that was published elsewhere, or null. */
  async next(authorId: ObjectId, importId: ObjectId, after: ImportedPosition | null): Promise<ImportedDraft | null> {
    const range =
      after === null
        ? { importedAt: { $type: 'date' as const } }
        : {
            importedAt: { $gte: after.importedAt },
            $nor: [{ importedAt: after.importedAt, _id: { $lte: after.draftId } }],
          };
    const filter = { authorId, importId, state: UNPUBLISHED, ...range };
    const order = { sort: { importedAt: 1, _id: 1 }, hint: OF_IMPORT } as const;
    return (await findOne(this.drafts, filter, DRAFT_FIELDS, order)) as ImportedDraft | null;
  }

  /** Deletes at most `limit` unpublished, unscheduled drafts of the import. @returns how many */
  async deleteUnpublished(
    { authorId, importId }: { authorId: ObjectId; importId: ObjectId },
    limit: number,
    tx: Transaction,
  ): Promise<number> {
    const filter = { authorId, importId, state: UNPUBLISHED };
    const options = { limit, hint: OF_IMPORT, session: tx.session };
    const ids = (await findMany(this.drafts, filter, { _id: 1 }, options)).map(({ _id }) => _id);
    await this.drafts.deleteMany({ _id: { $in: ids } }, { session: tx.session });
    tx.addTasks(DRAFT_REMOVED, ids);
    return ids.length;
  }
}

/** Reads at most MAX_IMPORTED_DRAFTS keys of an index, none for most accounts. */
export function countImported(drafts: Model<Draft>, authorId: ObjectId): Promise<number> {
  const imported = { authorId, importId: { $exists: true } };
  return drafts.countDocuments(imported, { limit: MAX_IMPORTED_DRAFTS, hint: OF_IMPORT });
}
