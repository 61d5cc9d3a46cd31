import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { secondOf } from '../common/pair-id.js';
import type { Viewer } from '../platform/access/viewer.js';
import { findMany, findOne } from '../platform/mongo/lean-reads.js';
import { PostsService } from '../posts/posts.service.js';
import { isListedFor } from '../posts/visibility.js';
import { CollectionItem, ITEM_ORDER, PostSeries } from './collection-item.schema.js';
import { MAX_ITEMS } from './collection-rules.js';
import { CollectionsService } from './collections.service.js';
import type { PostSeriesDto } from './dto/post-series.dto.js';

/** Finds the series of a post and the neighbors of the post in this series. */
@Injectable()
export class PostSeriesService {
  constructor(
    private readonly collections: CollectionsService,
    private readonly posts: PostsService,
    @InjectModel(CollectionItem.name) private readonly items: Model<CollectionItem>,
    @InjectModel(PostSeries.name) private readonly series: Model<PostSeries>,
  ) {}

  /**
   * Returns the series of a post. Counts only posts that the collection shows to the viewer.
   * @throws CodedError `post_not_found`; `collection_not_found` for a post in no series, or in one that the viewer may not see
   */
  async of(postId: ObjectId, viewer: Viewer | null): Promise<PostSeriesDto> {
    await this.posts.getReadable(postId, viewer);
    const row = await findOne(this.series, { _id: postId }, { collectionId: 1 });
    if (row === null) throw inNoSeries();
    const collection = await this.collections.get(row.collectionId, viewer).catch((error: unknown) => {
      throw error instanceof CodedError && error.code === 'collection_not_found' ? inNoSeries() : error;
    });
    const parts = await this.shownParts(row.collectionId, viewer);
    const index = parts.findIndex((part) => part.equals(postId));
    if (index === -1) throw inNoSeries();
    const [before, after] = [parts[index - 1], parts[index + 1]];
    const cards = await this.posts.findCards(
      [before, after].filter((id) => id !== undefined),
      viewer,
    );
    const cardOf = (id: ObjectId | undefined) => cards.find((card) => card.id === id?.toHexString()) ?? null;
    return { collection, index: index + 1, count: parts.length, previous: cardOf(before), next: cardOf(after) };
  }

  /** Returns the parts that the collection shows, in order. Two reads of at most 500 index entries and 500 posts. */
  private async shownParts(collectionId: ObjectId, viewer: Viewer | null): Promise<ObjectId[]> {
    const options = { sort: { position: 1, _id: 1 }, hint: ITEM_ORDER, limit: MAX_ITEMS } as const;
    const rows = await findMany(this.items, { collectionId }, { _id: 1 }, options);
    const ids = rows.map(({ _id }) => secondOf(_id));
    const posts = await this.posts.findTargets(ids);
    return ids.filter((id) => isListedFor(posts.get(id.toHexString()), viewer));
  }
}

function inNoSeries(): CodedError {
  return new CodedError('collection_not_found', 'The post is in no series.');
}
