import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ClientSession, ObjectId } from 'mongodb';
import { WorkQueue } from '../platform/work-queue/work-queue.js';
import { TaskHandlers } from '../platform/work-queue/task-handlers.js';
import type { Topic } from '../platform/events/topic.js';
import { PostWritesService, type ReplacedPost } from '../posts/post-writes.service.js';
import { POST_DELETED } from '../posts/posts.events.js';
import { canRead } from '../posts/visibility.js';
import { revisionRow, RevisionStore } from './revision-store.service.js';

/** A post has more versions than the limit. */
export const POST_REVISED: Topic<ObjectId> = { name: 'post.revised' };

/** Stores the replaced text of an edit, and deletes expired versions and the versions of deleted posts. */
@Injectable()
export class RevisionsSubscriber implements OnModuleInit {
  constructor(
    private readonly revisions: RevisionStore,
    private readonly writes: PostWritesService,
    private readonly tasks: WorkQueue,
    private readonly handlers: TaskHandlers,
  ) {}

  onModuleInit(): void {
    this.writes.onEdit((replaced, session) => this.store(replaced, session));
    this.handlers.register(POST_REVISED, {
      name: 'revisions: thin',
      run: async ({ payload, throttle }) => throttle(await this.revisions.thin(payload)),
    });
    this.handlers.register(POST_DELETED, {
      name: 'revisions',
      run: async ({ payload, throttle }) => throttle(await this.revisions.removeAll(payload)),
    });
  }

  private async store({ row, body, isTextChanged }: ReplacedPost, session: ClientSession): Promise<void> {
    const { _id, version, updatedAt } = row;
    const wasPublic = canRead(row, undefined);
    if (isTextChanged)
      await this.revisions.store([revisionRow(_id, version, { ...row, ...body }, updatedAt, wasPublic)], session);
    // Every edit counts, because an edit that stores no text also increments the version.
    if (this.revisions.isThinningDue(version)) await this.tasks.add(session, POST_REVISED, _id);
  }
}
