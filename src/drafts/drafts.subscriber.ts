import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Collection, ObjectId } from 'mongodb';
import { MediaRefsService } from '../media/media-refs.service.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PHASE, type HandlerContext, TaskHandlers, repeatUntilEmpty } from '../platform/work-queue/task-handlers.js';
import { POST_DELETED } from '../posts/posts.events.js';
import { RevisionStoreService } from '../revisions/revision-store.service.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { type Draft, DraftSchema } from './draft.schema.js';
import { DRAFT_REMOVED, DRAFT_REVISED } from './drafts.events.js';

const UNPUBLISHABLE = { state: 'failed', publishAt: null, failure: 'post_not_found' } as const;

/** Background tasks of drafts: after deleted accounts and posts, and for the versions of deleted drafts. */
@Injectable()
export class DraftsSubscriber implements OnModuleInit {
  private readonly drafts: Collection<Draft>;

  constructor(
    private readonly mongo: MongoService,
    private readonly revisions: RevisionStoreService,
    private readonly mediaRefs: MediaRefsService,
    private readonly handlers: TaskHandlers,
  ) {
    this.drafts = mongo.collection(DraftSchema);
  }

  onModuleInit(): void {
    const name = 'drafts';
    const ofAccount = (context: HandlerContext) => this.deleteDraftsOf(context);
    this.handlers.register(ACCOUNT_ENDED, { name, lane: 'both', order: PHASE.first, run: ofAccount });
    const ofPost = ({ payload, throttle }: HandlerContext) => this.detach(payload, throttle);
    this.handlers.register(POST_DELETED, { name, order: PHASE.children, run: ofPost });
    const parts = ({ payload, throttle }: HandlerContext) => this.deleteParts(payload, throttle);
    this.handlers.register(DRAFT_REMOVED, { name: 'drafts: parts', run: parts });
    const thin = async ({ payload, throttle }: HandlerContext) => throttle(await this.revisions.thin(payload));
    this.handlers.register(DRAFT_REVISED, { name: 'drafts: versions', run: thin });
  }

  private async deleteDraftsOf({ payload: authorId, batchSize, throttle }: HandlerContext): Promise<void> {
    await repeatUntilEmpty(throttle, () =>
      this.mongo.transaction(async (tx) => {
        const options = { projection: { hasPost: 1 }, limit: batchSize, session: tx.session };
        const rows = await this.drafts.find({ authorId }, options).toArray();
        const ids = rows.map(({ _id }) => _id);
        // Conflicts with a concurrent save.
        await this.drafts.deleteMany({ _id: { $in: ids } }, { session: tx.session });
        for (const { _id, hasPost } of rows) tx.addTask(hasPost === true ? POST_DELETED : DRAFT_REMOVED, _id);
        return ids.length;
      }),
    );
  }

  /** Turns the draft into a draft of a new post, and removes its share link and its schedule. */
  private async detach(postId: ObjectId, throttle: HandlerContext['throttle']): Promise<void> {
    // `$type` repeats the condition of the partial index, without which the server would scan all drafts.
    const ofPost = { postId: { $eq: postId, $type: 'objectId' as const } };
    const ifScheduled = { $cond: [{ $eq: ['$state', 'scheduled'] }, UNPUBLISHABLE, {}] };
    const detached = { $mergeObjects: ['$$ROOT', { postId: null, share: null }, ifScheduled] };
    const { modifiedCount } = await this.drafts.updateOne(ofPost, [{ $replaceWith: detached }]);
    await throttle(modifiedCount);
  }

  private async deleteParts(draftId: ObjectId, throttle: HandlerContext['throttle']): Promise<void> {
    await this.mediaRefs.detach(draftId);
    await throttle(await this.revisions.deleteAll(draftId));
  }
}
