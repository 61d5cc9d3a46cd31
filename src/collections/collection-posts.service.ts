import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { NO_FILTER } from '../blocks/list-filter.js';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { beyond } from '../common/keyset.js';
import { CodedError } from '../common/errors.js';
import { pairId } from '../common/pair-id.js';
import type { Viewer } from '../platform/access/viewer.js';
import { fullPage } from '../platform/http/pagination/full-page.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import { SecondaryReads } from '../platform/mongo/secondary-reads.js';
import type { PostCard } from '../posts/card/post-card.js';
import { PostsService } from '../posts/posts.service.js';
import { canSee, isListedFor } from '../posts/visibility.js';
import { NewcomerLimitsService } from '../rules/newcomer-limits.service.js';
import { CollectionChecksService } from './collection-checks.service.js';
import { CollectionItem, ITEM_ORDER } from './collection-item.schema.js';
import { CollectionsService } from './collections.service.js';
import type { CollectionPostDto } from './dto/collection-post.dto.js';
import type { ItemResult } from './item-plan.js';
import { ItemWriterService } from './item-writer.service.js';
import type { ItemPosition } from './item-order.js';

type ItemRow = Pick<CollectionItem, '_id' | 'postId' | 'position' | 'note' | 'addedAt'>;

const ITEM_FIELDS = { postId: 1, position: 1, note: 1, addedAt: 1 } as const;

/** Lists, adds, moves and removes posts of a collection, in its owner's order. */
@Injectable()
export class CollectionPostsService {
  constructor(
    private readonly collections: CollectionsService,
    private readonly posts: PostsService,
    private readonly reads: SecondaryReads,
    private readonly writer: ItemWriterService,
    private readonly paginator: Paginator,
    private readonly filters: ViewerFiltersService,
    private readonly newcomers: NewcomerLimitsService,
    private readonly checks: CollectionChecksService,
    @InjectModel(CollectionItem.name) private readonly items: Model<CollectionItem>,
  ) {}

  /**
   * Lists posts. Omits posts that the viewer may not read. Collections of others also omit unlisted posts, and what the viewer blocks,
   * mutes or hides.
   * @throws CodedError `collection_not_found`; `cursor_expired` if all positions were reassigned after the cursor
   */
  async list(id: ObjectId, viewer: Viewer | null, query: PageQuery): Promise<Page<CollectionPostDto>> {
    const { orderEpoch: epoch, ownerId } = await this.collections.getVisible(id, viewer);
    const isOwn = viewer?.id === ownerId.toHexString();
    const filter = isOwn ? NO_FILTER : await this.filters.of(viewer);
    return this.paginator.list<ItemRow, CollectionPostDto>({
      query,
      scope: `collection:${id.toHexString()}`,
      positionOf: ({ postId, position }) => ({ epoch, id: postId.toHexString(), key: position }),
      read: async (after, limit) => {
        if (after !== null && after.epoch !== epoch)
          throw new CodedError('cursor_expired', 'The collection was reordered. Start again at its first page.');
        const last = after && { position: after.key ?? '', _id: pairId(id, ObjectId.createFromHexString(after.id)) };
        return this.rows(id, last, limit);
      },
      resolve: async (rows) => {
        const cards = await this.cardsOf(rows, viewer, isOwn ? canSee : isListedFor);
        return rows.map(({ note, addedAt }, at) => {
          const card = cards[at]!;
          const post = card && filter.filterCard(card);
          return post && { post, note, addedAt: addedAt.toISOString() };
        });
      },
      maxRows: filter.maxRows,
    });
  }

  /** Returns the last `count` public posts in reverse order. Posts added without a position are last in the collection. */
  async listLast(id: ObjectId, count: number): Promise<PostCard[]> {
    const { data } = await fullPage<ItemRow, PostCard>(
      count,
      (last, some) => this.rows(id, last, some, -1),
      (rows) => this.cardsOf(rows, null),
      () => '',
    );
    return data;
  }

  /**
   * Adds a post at `position` or at the end. An existing post moves to `position` or stays.
   * @throws CodedError `collection_not_found`, `forbidden`, `post_not_found`, `collection_full`, `post_in_other_series`, `invalid_place`,
   * `content_rejected`, `newcomer_content`
   */
  async put(write: WriteRequest, id: ObjectId, postId: ObjectId, position: ItemPosition): Promise<ItemResult> {
    const { note, before, after } = position;
    this.newcomers.requirePlain(write.viewer, [{ field: 'note', text: note ?? '' }]);
    const item = { kind: 'put', ...itemOf(write, id, postId), note, before, after } as const;
    const ownerId = write.viewer._id;
    return this.checks.aroundNote({ collectionId: id, ownerId, note }, () =>
      this.writer.submit(item, write.isDisconnected),
    );
  }

  /** Removes the post if the collection contains it, otherwise adds it at the end. `position` is 0 after a removal. @throws as `put` */
  toggle(write: WriteRequest, id: ObjectId, postId: ObjectId): Promise<ItemResult> {
    const item = { kind: 'put', ...itemOf(write, id, postId), isToggle: true } as const;
    return this.writer.submit(item, write.isDisconnected);
  }

  /** @throws CodedError `collection_not_found`, `forbidden` */
  remove(write: WriteRequest, id: ObjectId, postId: ObjectId): Promise<ItemResult> {
    return this.writer.submit({ kind: 'remove', ...itemOf(write, id, postId) }, write.isDisconnected);
  }

  /** Returns cards in the order of `rows`; null for posts that the viewer may not see here. */
  private async cardsOf(rows: ItemRow[], viewer: Viewer | null, isShown = isListedFor): Promise<(PostCard | null)[]> {
    const ids = rows.map(({ postId }) => postId);
    const cards = new Map((await this.posts.findCards(ids, viewer, isShown)).map((card) => [card.id, card]));
    return ids.map((id) => cards.get(id.toHexString()) ?? null);
  }

  private rows(
    collectionId: ObjectId,
    after: { position: string; _id: Binary } | null,
    count: number,
    direction: 1 | -1 = 1,
  ): Promise<ItemRow[]> {
    const sign = direction === 1 ? '$gt' : '$lt';
    const filter =
      after === null
        ? { collectionId }
        : beyond({ collectionId }, 'position', sign, { value: after.position, id: after._id });
    const options = { sort: { position: direction, _id: direction }, hint: ITEM_ORDER, limit: count } as const;
    return this.reads.run('collection', (target) =>
      findMany(this.items, filter, ITEM_FIELDS, { ...options, ...target }),
    );
  }
}

function itemOf({ viewer }: WriteRequest, id: ObjectId, postId: ObjectId) {
  return { viewer, collectionId: id.toHexString(), postId: postId.toHexString() };
}
