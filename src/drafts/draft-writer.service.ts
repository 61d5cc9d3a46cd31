import { Injectable } from '@nestjs/common';
import { Binary, ObjectId } from 'mongodb';
import { type ImageReferences, MediaRefsService } from '../media/media-refs.service.js';
import { HostWriter, type Submit } from '../platform/cluster/writer/host-writer.js';
import { byIds } from '../platform/mongo/update-statements.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { RevisionStoreService } from '../revisions/revision-store.service.js';
import type { StoredLabels } from '../posts/stored-labels.js';
import { type Draft, DraftSchema } from './draft.schema.js';
import { type DraftChanges, type DraftPlan, type DraftSave, planSaves } from './draft-plan.js';
import { DRAFT_FIELDS, type DraftCard, toDraftCard } from './draft-view.js';
import { DRAFT_REVISED } from './drafts.events.js';

/** JSON form of a save in messages to the writer process. */
export type SubmittedSave = {
  draftId: string;
  authorId: string;
  ifMatch: string;
  labels: Partial<StoredLabels & Pick<Draft, 'visibility'>>;
  /** hex ids of the referenced images */
  imageIds?: string[];
  /** compressed Markdown in base64; absent if unchanged */
  body?: { rawLength: number; bytes: string };
};

/** A batch of very long texts exceeds the message size of the database. Such a batch fails and is split. */
const LARGEST_BATCH = 100;

/** Commits the saves of this host in groups. Several saves of one draft share a write. */
@Injectable()
export class DraftWriterService {
  readonly submit: Submit<SubmittedSave, DraftCard>;

  constructor(
    private readonly mongo: MongoService,
    private readonly revisions: RevisionStoreService,
    private readonly mediaRefs: MediaRefsService,
    writer: HostWriter,
  ) {
    this.submit = writer.group({
      name: 'drafts',
      maxBatch: LARGEST_BATCH,
      commit: (saves) => this.commit(saves),
    });
  }

  private commit(submitted: SubmittedSave[]): Promise<(DraftCard | Error)[]> {
    const saves = submitted.map(decodeSave);
    const ids = [...new Set(saves.map(({ draftId }) => draftId))].map((id) => ObjectId.createFromHexString(id));
    const drafts = this.mongo.collection(DraftSchema);
    return this.mongo.transaction(async (tx) => {
      const rows = await tx.find<Draft>(drafts, byIds(ids), DRAFT_FIELDS, ids.length);
      const plan = planSaves(saves, new Map(rows.map((row) => [row._id.toHexString(), row])), new Date());
      await this.revisions.store(plan.revisions, tx);
      await tx.update(drafts, plan.updates);
      tx.addTasks(DRAFT_REVISED, this.toThin(plan));
      await this.mediaRefs.attachAll(holdsOf(plan, submitted), tx);
      return plan.results.map((result) => (result instanceof Error ? result : toDraftCard(result)));
    });
  }

  private toThin({ results }: DraftPlan): ObjectId[] {
    return results.flatMap((result) =>
      result instanceof Error || !this.revisions.isThinningDue(result.version) ? [] : [result._id],
    );
  }
}

/** Returns the image references of the successful saves. */
function holdsOf({ results }: DraftPlan, submitted: SubmittedSave[]): ImageReferences[] {
  return results.flatMap((result, at) =>
    result instanceof Error
      ? []
      : { holderId: result._id, ownerId: result.authorId, mediaIds: submitted[at]!.imageIds ?? [] },
  );
}

function decodeSave({ draftId, authorId, ifMatch, labels, body }: SubmittedSave): DraftSave {
  const changes: DraftChanges = { ...labels };
  if (body !== undefined) {
    const bytes = new Binary(Buffer.from(body.bytes, 'base64'));
    Object.assign(changes, { codec: 'zstd', rawLength: body.rawLength, bytes });
  }
  return { draftId, authorId, ifMatch, changes };
}
