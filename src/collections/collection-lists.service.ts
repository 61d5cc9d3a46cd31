import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Binary, ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { type ListFilter, NO_FILTER } from '../blocks/list-filter.js';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { beyond } from '../common/keyset.js';
import type { CursorPosition } from '../common/cursor.js';
import { pairId } from '../common/pair-id.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import { type NumberedPage, skipOf } from '../platform/http/pagination/numbered-page.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { findMany, type ReadOptions } from '../platform/mongo/lean-reads.js';
import { type ReadTarget, SecondaryReads } from '../platform/mongo/secondary-reads.js';
import { UsersService } from '../users/users.service.js';
import { CollectionItem, ITEM_ORDER } from './collection-item.schema.js';
import { MAX_COLLECTIONS } from './collection-rules.js';
import { COLLECTION_LISTS, PostCollection } from './collection.schema.js';
import { COLLECTION_PROJECTION, type CollectionViewRow, toCollection } from './collection-view.js';
import type { CollectionDto, OwnCollectionDto } from './collection.dto.js';
import type { CollectionsQuery, MyCollectionsQuery } from './dto/collections.query.js';

type Filter = QueryFilter<PostCollection>;
/** @field after the rows beyond a row */
type ListRead = {
  filter: Filter;
  after: (start: CursorPosition) => Filter;
  options: ReadOptions;
  scope: string;
  query: PageQuery;
  listFilter: ListFilter;
};
type ListedRow = CollectionViewRow & Pick<PostCollection, 'topScore'>;

const LIST_PROJECTION = { ...COLLECTION_PROJECTION, topScore: 1 } as const;
const LISTED = { isListed: true } as const;

/** Lists collections. Each list reads one range of an index. */
@Injectable()
export class CollectionListsService {
  constructor(
    private readonly users: UsersService,
    private readonly filters: ViewerFiltersService,
    private readonly reads: SecondaryReads,
    private readonly paginator: Paginator,
    @InjectModel(PostCollection.name) private readonly collections: Model<PostCollection>,
    @InjectModel(CollectionItem.name) private readonly items: Model<CollectionItem>,
  ) {}

  /** Lists the public collections of all accounts, without those of accounts that the viewer blocks or mutes. */
  async browse({ sort, tag, ...query }: CollectionsQuery, viewer: Viewer | null): Promise<Page<CollectionDto>> {
    const filter: Filter = tag === undefined ? LISTED : { ...LISTED, tags: tag };
    const scope = `collections|${sort}|${tag ?? ''}`;
    const { latest, latestOfTag, top, topOfTag } = COLLECTION_LISTS;
    const listFilter = await this.filters.of(viewer);
    if (sort === 'latest')
      return this.newest(filter, scope, query, { hint: tag === undefined ? latest : latestOfTag }, listFilter);
    const options = { sort: { topScore: -1, _id: -1 }, hint: tag === undefined ? top : topOfTag } as const;
    const after = ({ value, id }: CursorPosition): Filter =>
      beyond(filter, 'topScore', '$lt', { value, id: new ObjectId(id) });
    return this.page({ filter, after, options, scope, query, listFilter });
  }

  /** Lists a numbered page of the public collections of all accounts, latest first. */
  async browseByNumber(query: NumberedPage): Promise<CollectionDto[]> {
    const options = { ...skipOf(query), sort: { _id: -1 }, hint: COLLECTION_LISTS.latest } as const;
    return (await findMany(this.collections, LISTED, LIST_PROJECTION, options)).map(toCollection);
  }

  /** Lists the visible collections of an account, latest first, with post ids. Only the owner and moderators get ids of hidden posts. */
  async listOfOwner(ownerId: ObjectId, viewer: Viewer): Promise<{ collection: CollectionDto; postIds: string[] }[]> {
    const isShown = ownerId.equals(viewer._id) || hasRole(viewer, 'moderator');
    const filter: Filter = isShown ? { ownerId, deletedAt: { $type: 'null' } } : { ...LISTED, ownerId };
    const hint = isShown ? COLLECTION_LISTS.mine : COLLECTION_LISTS.ofOwner;
    const options = { sort: { _id: -1 }, hint, limit: MAX_COLLECTIONS } as const;
    const rows = await findMany(this.collections, filter, LIST_PROJECTION, options);
    const ids = rows.map(({ _id }) => _id);
    const items = await findMany(
      this.items,
      { collectionId: { $in: ids }, ...(isShown ? {} : { isListed: true }) },
      { collectionId: 1, postId: 1, position: 1 },
      { sort: { collectionId: 1, position: 1 }, hint: ITEM_ORDER },
    );
    return rows.map((row) => ({
      collection: toCollection(row),
      postIds: items
        .filter(({ collectionId }) => collectionId.equals(row._id))
        .map(({ postId }) => postId.toHexString()),
    }));
  }

  /** Lists the public collections of one account. @throws CodedError `user_not_found`; an earlier name redirects to the account */
  async listByUser(username: string, query: PageQuery, viewer: Viewer | null): Promise<Page<CollectionDto>> {
    const { _id: ownerId } = await this.users.getProfile(username);
    const listFilter = await this.filters.of(viewer);
    if (listFilter.hidesAccount(ownerId.toHexString())) return { data: [], page: { nextCursor: null } };
    const scope = `collections/by:${ownerId.toHexString()}`;
    return this.newest({ ...LISTED, ownerId }, scope, query, { hint: COLLECTION_LISTS.ofOwner });
  }

  /** Lists the viewer's own collections, including private ones. `contains` adds `isMember` to each collection. */
  async listMine(viewer: Viewer, { contains, ...query }: MyCollectionsQuery): Promise<Page<OwnCollectionDto>> {
    const ownerId = viewer._id;
    // Plain null also matches missing fields and needs two index ranges.
    const filter: Filter = { ownerId, deletedAt: { $type: 'null' } };
    const scope = `collections/mine:${viewer.id}`;
    const page = await this.newest(filter, scope, query, { hint: COLLECTION_LISTS.mine });
    if (contains === undefined) return page;
    const holding = await this.findHolding(page.data, ObjectId.createFromHexString(contains));
    return { ...page, data: page.data.map((collection) => ({ ...collection, isMember: holding.has(collection.id) })) };
  }

  /** Returns hex ids of the collections that contain the post, with one primary-key lookup each. */
  private async findHolding(collections: CollectionDto[], postId: ObjectId): Promise<Set<string>> {
    const keys = new Map<string, string>();
    const ids: Binary[] = collections.map(({ id }) => {
      const key = pairId(ObjectId.createFromHexString(id), postId);
      keys.set(key.toString('hex'), id);
      return key;
    });
    const found = await findMany(this.items, { _id: { $in: ids } }, { _id: 1 });
    return new Set(found.map(({ _id }) => keys.get(_id.toString('hex'))!));
  }

  private newest(
    filter: Filter,
    scope: string,
    query: PageQuery,
    options: ReadOptions,
    listFilter = NO_FILTER,
  ): Promise<Page<CollectionDto>> {
    const after = ({ id }: CursorPosition): Filter => ({ ...filter, _id: { $lt: new ObjectId(id) } });
    return this.page({ filter, after, options: { ...options, sort: { _id: -1 } }, scope, query, listFilter });
  }

  private page({ filter, after, options, scope, query, listFilter }: ListRead): Promise<Page<CollectionDto>> {
    return this.paginator.list<ListedRow, CollectionDto>({
      query,
      scope,
      positionOf: ({ _id, topScore }) => ({ value: topScore, id: _id.toHexString() }),
      read: (start, limit) => this.read(start === null ? filter : after(start), { ...options, limit }),
      resolve: async (rows) =>
        rows.map((row) => (listFilter.hidesAccount(row.ownerId.toHexString()) ? null : toCollection(row))),
      maxRows: listFilter.maxRows,
    });
  }

  private read(filter: Filter, options: ReadOptions): Promise<ListedRow[]> {
    const find = (target?: ReadTarget): Promise<ListedRow[]> =>
      findMany(this.collections, filter, LIST_PROJECTION, { ...options, ...target });
    return filter.isListed === true ? this.reads.run('collection', find) : find();
  }
}
