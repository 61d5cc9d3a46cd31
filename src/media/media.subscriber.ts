import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CodedError } from '../common/errors.js';
import { RemovedTextsService } from '../moderation/removed-texts.service.js';
import { PHASE, type HandlerContext, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { UsersService } from '../users/users.service.js';
import { ACCOUNT_ENDED, AUTHOR_CHANGED } from '../users/users.events.js';
import { imageIdsIn } from './file-key.js';
import { MediaRefsService } from './media-refs.service.js';
import { MediaDeletionsService } from './media-deletions.service.js';

/** Background tasks of images: after deleted accounts and changed profiles. */
@Injectable()
export class MediaSubscriber implements OnModuleInit {
  constructor(
    private readonly users: UsersService,
    private readonly refs: MediaRefsService,
    private readonly deletions: MediaDeletionsService,
    private readonly texts: RemovedTextsService,
    private readonly handlers: TaskHandlers,
  ) {}

  onModuleInit(): void {
    const name = 'media';
    const end = (context: HandlerContext) => this.deleteImagesOf(context);
    // The background run, after the cleanup delay, also deletes images that were uploading.
    this.handlers.register(ACCOUNT_ENDED, { name, lane: 'both', order: PHASE.first, run: end });
    const attach = (context: HandlerContext) => this.attachProfile(context);
    this.handlers.register(AUTHOR_CHANGED, { name, lane: 'both', order: PHASE.children, run: attach });
  }

  private async deleteImagesOf({ payload: ownerId, throttle }: HandlerContext): Promise<void> {
    await throttle(await this.deletions.delete({ ownerId, state: { $in: ['pending', 'ready', 'removed'] } }));
    await this.refs.detach(ownerId);
  }

  /** A profile references one image, and has no earlier versions. A removed one is kept as long as it can be restored. */
  private async attachProfile({ payload: userId }: HandlerContext): Promise<void> {
    try {
      const { profilePicture } = await this.users.getSnapshot(userId);
      await this.refs.replace({ holderId: userId, ownerId: userId, mediaIds: imageIdsIn([profilePicture]) });
      for (const { until, picture } of await this.texts.findPictures(userId))
        await this.refs.keepUnused(imageIdsIn([picture]), until);
    } catch (error) {
      // The deletion of the account deletes its references.
      if (!(error instanceof CodedError) || error.code !== 'user_not_found') throw error;
    }
  }
}
