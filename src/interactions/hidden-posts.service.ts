import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { CodedError } from '../common/errors.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PostsService } from '../posts/posts.service.js';
import type { HideDto } from './dto/interaction.dto.js';
import { idsOfKind, interactionId } from './interaction-id.js';
import { Interaction } from './interaction.schema.js';

/** The maximum number of hidden posts per account. */
export const MAX_HIDDEN = 2_000;

/** The posts that an account hides from its own lists. Only the account itself sees them, and no counter contains them. */
@Injectable()
export class HiddenPostsService implements OnModuleInit {
  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly filters: ViewerFiltersService,
    @InjectModel(Interaction.name) private readonly rows: Model<Interaction>,
  ) {}

  onModuleInit(): void {
    this.filters.readHiddenPostsWith((userId) => this.idsOf(userId));
  }

  /** Idempotent. @throws CodedError `post_not_found`, also for a post that the viewer may not read; `too_many_hidden_posts` */
  async hide(viewer: Viewer, targetId: ObjectId): Promise<HideDto> {
    await this.posts.getReadable(targetId, viewer);
    const userId = viewer._id;
    const _id = interactionId(userId, 'hide', targetId);
    const now = new Date();
    const row = { userId, targetModel: 'Post', targetId, kind: 'hide', value: null, seq: new ObjectId() } as const;
    const $setOnInsert = { ...row, createdAt: now, updatedAt: now };
    await this.mongo.transaction(async (tx) => {
      // Concurrent requests may exceed the limit slightly, which is acceptable.
      const filter = { _id: idsOfKind(userId, 'hide') };
      const upsert = (await this.rows.countDocuments(filter, { limit: MAX_HIDDEN, session: tx.session })) < MAX_HIDDEN;
      const { matchedCount, upsertedCount } = await this.rows.updateOne(
        { _id },
        { $setOnInsert },
        { upsert, session: tx.session },
      );
      if (matchedCount + upsertedCount === 0) throw tooManyHidden();
      if (upsertedCount > 0) this.filters.invalidate([userId], tx);
    });
    return { postId: targetId.toHexString(), isHidden: true };
  }

  /** Idempotent, also for a post that the viewer may not read. */
  async unhide(viewer: Viewer, targetId: ObjectId): Promise<HideDto> {
    const userId = viewer._id;
    await this.mongo.transaction(async (tx) => {
      const { deletedCount } = await this.rows.deleteOne(
        { _id: interactionId(userId, 'hide', targetId) },
        { session: tx.session },
      );
      if (deletedCount > 0) this.filters.invalidate([userId], tx);
    });
    return { postId: targetId.toHexString(), isHidden: false };
  }

  private async idsOf(userId: ObjectId): Promise<ObjectId[]> {
    const rows = await findMany(this.rows, { _id: idsOfKind(userId, 'hide') }, { targetId: 1 });
    return rows.map(({ targetId }) => targetId);
  }
}

function tooManyHidden(): CodedError {
  return new CodedError('too_many_hidden_posts', `An account hides at most ${MAX_HIDDEN} posts. Show one again first.`);
}
