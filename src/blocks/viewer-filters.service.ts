import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type Binary, ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { BoundedMap } from '../common/bounded.js';
import { firstOf, pairsOf, secondOf } from '../common/pair-id.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ListFilterPort } from '../platform/cache/list-filter-port.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { EventStream } from '../platform/events/event-stream.js';
import { findMany } from '../platform/mongo/lean-reads.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { Block, BLOCKS, Mute } from './block.schema.js';
import { FILTERS_CHANGED } from './blocks.events.js';
import { ContentFilter, FILTER_FIELDS, type FilteredKind, type FilterRow } from './content-filter.schema.js';
import { ListFilter, NO_FILTER } from './list-filter.js';
import { type Phrase, PhraseMatcher } from './phrase-matcher.js';
import { isInForce } from './until.js';

const TTL_MS = 60_000;
const MAX_CACHED = 10_000;
/** The maximum number of accounts blocking the viewer that are read. Lists show the content of further ones. */
const MAX_BLOCKED_BY = 10_000;
const CHANNEL = 'filters:changed';

type Cached = { filter: ListFilter; expiresAt: number };
type HiddenPostsOf = (userId: ObjectId) => Promise<ObjectId[]>;

/**
 * Reads the list filters of viewers, and caches them in each process. The commit of a change drops the filters of the accounts on this
 * host. An event drops them on other hosts.
 */
@Injectable()
export class ViewerFiltersService implements OnModuleInit {
  private readonly cached = new BoundedMap<string, Cached>(MAX_CACHED);
  private readonly loading = new Map<string, Promise<ListFilter>>();
  private onChanged: (ids: string[]) => void = () => {};
  private hiddenPostsOf: HiddenPostsOf = () => Promise.resolve([]);

  constructor(
    private readonly stream: EventStream,
    private readonly bus: ClusterBus,
    private readonly port: ListFilterPort,
    @InjectModel(Block.name) private readonly blocks: Model<Block>,
    @InjectModel(Mute.name) private readonly mutes: Model<Mute>,
    @InjectModel(ContentFilter.name) private readonly contentFilters: Model<ContentFilter>,
  ) {}

  onModuleInit(): void {
    const orNull = (filter: ListFilter): ListFilter | null => (filter === NO_FILTER ? null : filter);
    this.port.register({
      find: (id) => {
        const filter = this.find(id);
        return filter && orNull(filter);
      },
      load: async (id) => orNull(await this.load(id)),
    });
    this.bus.subscribe<string[]>(CHANNEL, (ids) => this.removeCached(ids));
    const onEvent = (ids: string[]): void => {
      this.removeCached(ids);
      this.onChanged(ids);
    };
    this.stream.subscribe(FILTERS_CHANGED, { onEvent, onGap: () => this.clear() });
  }

  /** NotificationsModule, whose streams send counts of what the filter shows, registers here. The ids are those of accounts. */
  onChange(handler: (ids: string[]) => void): void {
    this.onChanged = handler;
  }

  /** InteractionsModule, which stores hidden posts, registers their read here. */
  readHiddenPostsWith(read: HiddenPostsOf): void {
    this.hiddenPostsOf = read;
  }

  /** Returns NO_FILTER for visitors and nearly all accounts. */
  async of(viewer: Viewer | null): Promise<ListFilter> {
    return viewer === null ? NO_FILTER : (this.find(viewer.id) ?? this.load(viewer.id));
  }

  /** Returns undefined if the filter is not cached. */
  find(viewerId: string): ListFilter | undefined {
    const cached = this.cached.get(viewerId);
    return cached !== undefined && performance.now() < cached.expiresAt ? cached.filter : undefined;
  }

  /** Joins the transaction of a change. After the commit, `find` returns no earlier filter of these accounts. */
  invalidate(userIds: readonly ObjectId[], tx: Transaction): void {
    const ids = userIds.map((id) => id.toHexString());
    tx.publish(FILTERS_CHANGED, ids);
    tx.afterCommit(() => {
      this.removeCached(ids);
      this.bus.publish(CHANNEL, ids);
    });
  }

  private removeCached(ids: string[]): void {
    for (const id of ids) {
      this.cached.delete(id);
      this.loading.delete(id);
    }
  }

  private clear(): void {
    this.cached.clear();
    this.loading.clear();
  }

  /** Shares one read between concurrent calls. A read that began before a change is not cached. */
  private load(id: string): Promise<ListFilter> {
    const running = this.loading.get(id);
    if (running !== undefined) return running;
    const expiresAt = performance.now() + TTL_MS;
    const reading: Promise<ListFilter> = this.read(id).then(
      (filter) => {
        if (this.loading.get(id) === reading) {
          this.loading.delete(id);
          this.cached.set(id, { filter, expiresAt });
        }
        return filter;
      },
      (error: unknown) => {
        if (this.loading.get(id) === reading) this.loading.delete(id);
        throw error;
      },
    );
    this.loading.set(id, reading);
    return reading;
  }

  private async read(id: string): Promise<ListFilter> {
    const userId = ObjectId.createFromHexString(id);
    const [blocks, mutes, posts, stored] = await Promise.all([
      this.pairsWith(userId),
      findMany(this.mutes, { _id: pairsOf(userId) }, { until: 1 }),
      this.hiddenPostsOf(userId),
      findMany(this.contentFilters, { ownerId: userId }, FILTER_FIELDS),
    ]);
    const accounts = new Map<string, number>();
    for (const { _id, until } of mutes.filter(isInForce))
      accounts.set(secondOf(_id).toHexString(), until?.getTime() ?? Infinity);
    for (const { _id } of blocks) accounts.set(otherOf(_id, userId).toHexString(), Infinity);
    const filters = stored.filter(isInForce);
    if (accounts.size === 0 && posts.length === 0 && filters.length === 0) return NO_FILTER;
    const hiddenPosts = new Set(posts.map((post) => post.toHexString()));
    const phrasesIn = (kind: FilteredKind): PhraseMatcher =>
      new PhraseMatcher(filters.filter((filter) => filter.in.includes(kind)).map(toPhrase));
    return new ListFilter(id, accounts, hiddenPosts, { posts: phrasesIn('posts'), comments: phrasesIn('comments') });
  }

  /** Returns the keys of blocks by and against an account. */
  private pairsWith(userId: ObjectId): Promise<{ _id: Binary }[]> {
    const byOthers = [{ $match: { otherId: userId } }, { $limit: MAX_BLOCKED_BY }, { $project: { _id: 1 } }];
    return this.blocks
      .aggregate<{ _id: Binary }>([
        { $match: { _id: pairsOf(userId) } },
        { $project: { _id: 1 } },
        { $unionWith: { coll: BLOCKS, pipeline: byOthers } },
      ])
      .exec();
  }
}

function toPhrase({ _id, phrase, isWholeWord, action, until }: FilterRow): Phrase {
  return { id: _id.toHexString(), phrase, isWholeWord, action, endsAt: until?.getTime() ?? Infinity };
}

function otherOf(pair: Binary, userId: ObjectId): ObjectId {
  const first = firstOf(pair);
  return first.equals(userId) ? secondOf(pair) : first;
}
