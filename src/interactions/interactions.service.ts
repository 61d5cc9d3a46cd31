import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { interactionId } from './interaction-id.js';
import type { IsGone } from '../common/client-gone.js';
import { CursorCodec } from '../common/cursor.js';
import { fullPage } from '../platform/http/pagination/full-page.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import type { PostCard } from '../posts/card/post-card.js';
import { PostsService } from '../posts/posts.service.js';
import type { InteractionStateDto, SaveDto, VoteDto } from './dto/interaction.dto.js';
import { INTERACTION_MODEL, type InteractionRow, type TargetModel, type VoteValue } from './interaction.schema.js';
import { InteractionWriter } from './interaction-writer.service.js';

type SavedRow = Pick<InteractionRow, 'targetId' | 'seq'>;

/** Votes, saves and the reader's own state towards many targets. */
@Injectable()
export class InteractionsService {
  constructor(
    @InjectModel(INTERACTION_MODEL) private readonly rows: Model<InteractionRow>,
    private readonly writer: InteractionWriter,
    private readonly posts: PostsService,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * Holds this vote (null: none). Everyone may vote on what they may read, their own included.
   * @returns the counts right after this change
   * @throws CodedError `post_not_found` or `comment_not_found`, also for what the viewer may not read
   */
  async vote(
    viewer: Viewer,
    targetModel: TargetModel,
    targetId: ObjectId,
    value: VoteValue | null,
    isGone: IsGone,
  ): Promise<VoteDto> {
    const target = targetId.toHexString();
    const item = { kind: 'vote', userId: viewer.id, targetModel, targetId: target, value } as const;
    const result = await this.writer.submit(item, isGone);
    if (result.kind !== 'vote') throw new Error('a vote was answered as a save');
    return { targetId: target, value: result.value, stats: result.stats };
  }

  /** @throws CodedError `post_not_found`, also for a post the viewer may not read */
  async save(viewer: Viewer, postId: ObjectId, isSaved: boolean, isGone: IsGone): Promise<SaveDto> {
    const targetId = postId.toHexString();
    const item = { kind: 'save', userId: viewer.id, targetModel: 'Post', targetId, isSaved } as const;
    const result = await this.writer.submit(item, isGone);
    if (result.kind !== 'save') throw new Error('a save was answered as a vote');
    return { postId: targetId, isSaved, savedAt: result.savedAt };
  }

  /** The viewer's vote and save for each target, in the order asked; one read by primary key. */
  async states(viewer: Viewer, targets: string[]): Promise<InteractionStateDto[]> {
    const userId = ObjectId.createFromHexString(viewer.id);
    const ids = targets.flatMap((target) => {
      const targetId = ObjectId.createFromHexString(target);
      return [interactionId(userId, 'vote', targetId), interactionId(userId, 'save', targetId)];
    });
    const rows = await findMany(this.rows, { _id: { $in: ids } }, { targetId: 1, kind: 1, value: 1 });
    const held = new Map(rows.map(({ targetId, kind, value }) => [kind + targetId.toHexString(), value]));
    return targets.map((targetId) => ({
      targetId,
      vote: held.get(`vote${targetId}`) ?? null,
      isSaved: held.has(`save${targetId}`),
    }));
  }

  /** The viewer's saved posts, latest save first; posts that are gone or hidden are passed over. */
  async saved(viewer: Viewer, query: PageQuery): Promise<Page<PostCard>> {
    const userId = ObjectId.createFromHexString(viewer.id);
    const scope = `saved:${viewer.id}`;
    const start = query.cursor === undefined ? null : this.cursors.decode(scope, query.cursor).id;
    return fullPage<SavedRow, PostCard>(
      query.limit,
      (last, count) => this.savedRows(userId, last?.seq ?? (start === null ? null : new ObjectId(start)), count),
      async (rows) => {
        const ids = rows.map(({ targetId }) => targetId);
        const cards = new Map((await this.posts.findCards(ids, viewer)).map((card) => [card.id, card]));
        return ids.map((id) => cards.get(id.toHexString()) ?? null);
      },
      ({ seq }) => this.cursors.encode(scope, { epoch: 0, value: 0, id: seq.toHexString() }),
    );
  }

  private async savedRows(userId: ObjectId, before: ObjectId | null, count: number): Promise<SavedRow[]> {
    const filter = { userId, kind: 'save' as const, ...(before === null ? {} : { seq: { $lt: before } }) };
    return findMany(this.rows, filter, { targetId: 1, seq: 1 }, { sort: { seq: -1 }, limit: count });
  }
}
