import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { TaskHandlers } from '../platform/work-queue/task-handlers.js';
import type { Topic } from '../common/topic.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { POST_DELETED, POST_EDITED } from '../posts/posts.events.js';
import type { ReplacedPost } from '../posts/stored-posts.service.js';
import { canRead } from '../posts/visibility.js';
import { revisionRow, RevisionStoreService } from './revision-store.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';

/** A post has more versions than the limit. */
export const POST_REVISED: Topic<ObjectId> = { name: 'post.revised' };

/** Stores the replaced text of an edit, and deletes expired versions and the versions of deleted posts. */
@Injectable()
export class RevisionsSubscriber implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly revisions: RevisionStoreService,
    private readonly handlers: TaskHandlers,
  ) {}

  onModuleInit(): void {
    this.mongo.hook(POST_EDITED, (replaced, tx) => this.store(replaced, tx));
    this.handlers.register(POST_REVISED, {
      name: 'revisions: thin',
      run: async ({ payload, throttle }) => throttle(await this.revisions.thin(payload)),
    });
    this.handlers.register(POST_DELETED, {
      name: 'revisions',
      run: async ({ payload, throttle }) => throttle(await this.revisions.deleteAll(payload)),
    });
  }

  private async store({ row, body, isTextChanged }: ReplacedPost, tx: Transaction): Promise<void> {
    const { _id, version, updatedAt } = row;
    const wasPublic = canRead(row, undefined);
    if (isTextChanged)
      await this.revisions.store([revisionRow(_id, version, { ...row, ...body }, updatedAt, wasPublic)], tx);
    // Every edit counts, because an edit that stores no text also increments the version.
    if (this.revisions.isThinningDue(version)) tx.addTask(POST_REVISED, _id);
  }
}
