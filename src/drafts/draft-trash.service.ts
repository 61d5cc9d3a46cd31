import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { TaskHandlers } from '../platform/work-queue/task-handlers.js';
import { POST_TRASHED } from '../posts/posts.events.js';
import { labelsOf } from '../posts/stored-labels.js';
import type { StoredPost } from '../posts/stored-posts.service.js';
import { visibilityOf } from '../posts/visibility.js';
import { DRAFT_FIELDS } from './draft-view.js';
import { Draft, OF_AUTHOR } from './draft.schema.js';
import { DRAFT_EXPIRED } from './drafts.events.js';
import { DraftsService, MAX_DRAFTS } from './drafts.service.js';

const TRASH_MS = 30 * 86_400_000;

/** Keeps a post that its author deletes for 30 days: its rows, and a draft with its id and text that lists and exports read. */
@Injectable()
export class DraftTrashService implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly reads: DraftsService,
    private readonly handlers: TaskHandlers,
    @InjectModel(Draft.name) private readonly drafts: Model<Draft>,
  ) {}

  onModuleInit(): void {
    this.mongo.hook(POST_TRASHED, (post, tx) => this.add(post, tx));
    const run = ({ payload }: { payload: ObjectId }) => this.deleteExpired(payload);
    this.handlers.register(DRAFT_EXPIRED, { name: 'drafts: trash', lane: 'foreground', run });
  }

  private async add({ row, body }: StoredPost, tx: Transaction): Promise<void> {
    const { _id, authorId, createdAt } = row;
    const { codec, rawLength, bytes } = body;
    const now = new Date();
    const trashed: Draft = {
      _id,
      authorId,
      postId: null,
      ...labelsOf(row),
      ...{ codec, rawLength, bytes },
      version: 1,
      ...{ state: 'trashed', publishAt: null, failure: null, share: null },
      ...{ createdAt, updatedAt: now },
      visibility: visibilityOf(row),
      hasPost: true,
    };
    await this.deleteOldest(authorId, tx);
    await this.drafts.insertOne(trashed, { session: tx.session });
    tx.addTask(DRAFT_EXPIRED, _id, { runAt: new Date(now.getTime() + TRASH_MS) });
  }

  /** Deletes the post that was deleted first, if the trash of the account is full. */
  private async deleteOldest(authorId: ObjectId, tx: Transaction): Promise<void> {
    const trash = { authorId, state: 'trashed' } as const;
    if ((await this.drafts.countDocuments(trash, { limit: MAX_DRAFTS, session: tx.session })) < MAX_DRAFTS) return;
    const first = { sort: { updatedAt: 1, _id: 1 }, hint: OF_AUTHOR, session: tx.session } as const;
    const oldest = await findOne(this.drafts, trash, DRAFT_FIELDS, first);
    if (oldest !== null) await this.reads.deleteUnchanged(oldest, tx);
  }

  /** A post that was restored and deleted again has a later task of its own. */
  private async deleteExpired(id: ObjectId): Promise<void> {
    const expired = { _id: id, state: 'trashed', updatedAt: { $lte: new Date(Date.now() - TRASH_MS) } } as const;
    await this.mongo.transaction(async (tx) => {
      const row = await findOne(this.drafts, expired, DRAFT_FIELDS, { session: tx.session });
      if (row !== null) await this.reads.deleteUnchanged(row, tx);
    });
  }
}
