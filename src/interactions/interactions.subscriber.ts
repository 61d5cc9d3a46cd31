import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Binary, type Collection, type Filter, ObjectId } from 'mongodb';
import { COLLECTION_DELETED } from '../collections/collections.events.js';
import { CollectionsService } from '../collections/collections.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { COMMENT_DELETED } from '../comments/comments.events.js';
import { PHASE, type HandlerContext, TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PostsService } from '../posts/posts.service.js';
import { POST_DELETED } from '../posts/posts.events.js';
import { ReceivedLikesService } from '../users/received-likes.service.js';
import { ACCOUNT_ENDED } from '../users/users.events.js';
import { type Interaction, InteractionSchema } from './interaction.schema.js';
import { planDeletion } from './interaction-deletion.js';

/** comments per batch */
const TARGET_BATCH = 200;

/** Deletes the votes, saves, follows and hidden posts of deleted targets and accounts, and corrects counters. */
@Injectable()
export class InteractionsSubscriber implements OnModuleInit {
  private readonly rows: Collection<Interaction>;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly collections: CollectionsService,
    private readonly receivedLikes: ReceivedLikesService,
    private readonly handlers: TaskHandlers,
  ) {
    this.rows = mongo.collection(InteractionSchema);
  }

  onModuleInit(): void {
    const order = PHASE.children;
    this.handlers.register(POST_DELETED, {
      name: 'interactions',
      order,
      run: async (context) => {
        await this.deleteOn(this.comments.streamOfPost(context.payload), context);
        await this.delete({ targetId: context.payload }, context);
      },
    });
    this.handlers.register(COMMENT_DELETED, {
      name: 'interactions',
      order,
      run: (context) => this.deleteOn(this.comments.streamDeletedTree(context.payload), context),
    });
    this.handlers.register(COLLECTION_DELETED, {
      name: 'interactions',
      order,
      run: (context) => this.delete({ targetId: context.payload }, context),
    });
    this.handlers.register(ACCOUNT_ENDED, {
      name: 'interactions',
      lane: 'both',
      order,
      run: (context) => this.delete({ _id: rangeOf(context.payload) }, context),
    });
  }

  private async deleteOn(targets: AsyncIterable<ObjectId>, context: HandlerContext): Promise<void> {
    let batch: ObjectId[] = [];
    for await (const target of targets) {
      if (batch.push(target) < TARGET_BATCH) continue;
      await this.delete({ targetId: { $in: batch } }, context);
      batch = [];
    }
    if (batch.length > 0) await this.delete({ targetId: { $in: batch } }, context);
  }

  private async delete(filter: Filter<Interaction>, context: HandlerContext): Promise<void> {
    for (;;) {
      const deleted = await this.deleteBatch(filter, context.batchSize);
      if (deleted > 0) await context.throttle(deleted);
      if (deleted < context.batchSize) return;
    }
  }

  private deleteBatch(filter: Filter<Interaction>, limit: number): Promise<number> {
    return this.mongo.transaction(async (tx) => {
      const rows = await this.rows.find(filter, { session: tx.session }).limit(limit).toArray();
      if (rows.length === 0) return 0;
      const postIds = new Map(
        rows.flatMap(({ kind, targetModel, targetId }) =>
          kind === 'vote' && targetModel === 'Post' ? [[targetId.toHexString(), targetId] as const] : [],
        ),
      );
      const plan = planDeletion(rows, await this.posts.findTargets([...postIds.values()], tx));
      await this.posts.applyStats(plan.postStats, tx);
      await this.comments.applyStats(plan.commentStats, tx);
      await this.collections.applyStats(plan.collectionStats, tx);
      await this.receivedLikes.add(plan.likesReceived, tx);
      await this.rows.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { session: tx.session });
      return rows.length;
    });
  }
}

/** Returns the key range of an account's rows. */
function rangeOf(userId: ObjectId): { $gte: Binary; $lte: Binary } {
  const bound = (filler: number): Binary => {
    const bytes = new Uint8Array(25).fill(filler);
    bytes.set(userId.id, 0);
    return new Binary(bytes);
  };
  return { $gte: bound(0), $lte: bound(0xff) };
}
