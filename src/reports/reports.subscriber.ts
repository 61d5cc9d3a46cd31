import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { COLLECTION_DELETED } from '../collections/collections.events.js';
import { COMMENT_DELETED } from '../comments/comments.events.js';
import { CommentsService } from '../comments/comments.service.js';
import { MEDIA_DELETED } from '../media/media.events.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { type HandlerContext, PHASE, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { POST_DELETED } from '../posts/posts.events.js';
import { CONTENT_FLAGGED } from '../rules/rules.events.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { CasesService } from './cases.service.js';
import type { ReportTargetKind } from './report-rules.js';
import { REPORTS } from './report.schema.js';
import { ReportsService } from './reports.service.js';

/**
 * Opens cases of content that rules match. Closes the cases of deleted content in the cleanup. Deletes the reports of deleted accounts.
 */
@Injectable()
export class ReportsSubscriber implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly reports: ReportsService,
    private readonly cases: CasesService,
    private readonly comments: CommentsService,
    private readonly handlers: TaskHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(CONTENT_FLAGGED, {
      name: 'reports: rules',
      lane: 'foreground',
      run: ({ payload }) => this.reports.createAutomatic(payload),
    });
    this.mongo.hook(MEDIA_DELETED, (id, tx) => this.cases.closeDeleted('media', [id], tx));
    // Runs before comments are deleted.
    const about = { name: 'reports', order: PHASE.first };
    this.handlers.register(POST_DELETED, {
      ...about,
      run: async (context) => {
        await this.close('post', [context.payload]);
        await this.closeComments(this.comments.streamOfPost(context.payload), context);
      },
    });
    this.handlers.register(COMMENT_DELETED, {
      ...about,
      run: (context) => this.closeComments(this.comments.streamDeletedTree(context.payload), context),
    });
    this.handlers.register(COLLECTION_DELETED, {
      ...about,
      run: async ({ payload }) => {
        await this.close('collection', [payload]);
        await this.close('note', [payload]);
      },
    });
    this.handlers.register(ACCOUNT_ENDED, {
      ...about,
      lane: 'both',
      run: async ({ payload, deleteInBatches }) => {
        await this.close('user', [payload]);
        await this.close('profile', [payload]);
        await deleteInBatches(REPORTS, { reporterId: payload });
      },
    });
  }

  private close(kind: ReportTargetKind, ids: readonly ObjectId[]): Promise<number> {
    return this.mongo.transaction((tx) => this.cases.closeDeleted(kind, ids, tx));
  }

  private async closeComments(ids: AsyncIterable<ObjectId>, { batchSize, throttle }: HandlerContext): Promise<void> {
    let batch: ObjectId[] = [];
    for await (const id of ids) {
      if (batch.push(id) < batchSize) continue;
      await throttle(await this.close('comment', batch));
      batch = [];
    }
    if (batch.length > 0) await throttle(await this.close('comment', batch));
  }
}
