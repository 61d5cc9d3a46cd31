import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { DraftPublisherService } from '../drafts/draft-publisher.service.js';
import { type ImportedDraft, ImportedDraftsService, type ImportedPosition } from '../drafts/imported-drafts.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { EmailVerification } from '../platform/access/verified-email.js';
import type { HandlerContext } from '../platform/work-queue/task-handlers.js';
import { ArchiveImport } from './import.schema.js';
import { ImportStopped } from './import-reader.js';
import { ImportedLinks } from './imported-links.js';
import { problemUpdate } from './imported-post.js';

const PART_MS = 60_000;
const RETRY_SECONDS = 60;

/** Publishes the drafts of an import with their earlier times, the oldest first. Each publication is a transaction of its own. */
@Injectable()
export class ImportPublisher {
  constructor(
    private readonly drafts: ImportedDraftsService,
    private readonly publisher: DraftPublisherService,
    private readonly links: ImportedLinks,
    private readonly verification: EmailVerification,
    @InjectModel(ArchiveImport.name) private readonly imports: Model<ArchiveImport>,
  ) {}

  /** @returns null at the end, or the time to continue @throws ImportStopped; CodedError `email_not_verified` */
  async publish(row: ArchiveImport, viewer: Viewer, { signal, throttle }: HandlerContext): Promise<Date | null> {
    const { _id, userId } = row;
    this.verification.requireToPublish(viewer);
    const endsAt = performance.now() + PART_MS;
    let after: ImportedPosition | null = row.publishedTo;
    while (performance.now() < endsAt) {
      signal.throwIfAborted();
      if ((await this.imports.exists({ _id, state: 'publishing' })) === null) throw new ImportStopped();
      const draft = await this.drafts.next(userId, _id, after);
      if (draft === null) return null;
      try {
        await this.publisher.publishImported(draft, viewer, await this.links.rewrite(draft, _id));
      } catch (error) {
        if (!(error instanceof CodedError) || error.status >= 500) throw error;
        if (error.status === 429) return new Date(Date.now() + (error.retryAfterSeconds ?? RETRY_SECONDS) * 1_000);
        // The draft was saved after the read.
        if (error.code === 'precondition_failed') continue;
        after = { importedAt: draft.importedAt, draftId: draft._id };
        await this.skip(row, draft, error);
      }
      await throttle(1);
    }
    return new Date();
  }

  private async skip({ _id }: ArchiveImport, { _id: id, title, importedAt }: ImportedDraft, error: CodedError) {
    const problem = { entry: title || id.toHexString(), code: error.code, detail: error.message };
    await this.imports.updateOne(
      { _id, state: 'publishing' },
      {
        $inc: { 'counts.problems': 1 },
        $set: { publishedTo: { importedAt, draftId: id } },
        $push: problemUpdate([problem]),
      },
    );
  }
}
