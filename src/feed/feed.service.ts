import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { type ListFilter, NO_FILTER } from '../blocks/list-filter.js';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { CursorCodec, type CursorPosition } from '../common/cursor.js';
import { CodedError } from '../common/errors.js';
import { isListSort } from '../ranking/feed-list.js';
import { FeedListsService } from '../ranking/feed-lists.service.js';
import { otherSlot, type RankSlot, type ScoreEpoch } from '../ranking/score-epoch.js';
import { ScoreEpochService } from '../ranking/score-epoch.service.js';
import { fullPage } from '../platform/http/pagination/full-page.js';
import { SerializedPage } from '../platform/http/pagination/serialized-page.js';
import { type CardEntry, type CardSerializer, SerializedCards, serializeCards } from '../posts/card/card-json.js';
import type { PostCard } from '../posts/card/post-card.js';
import type { Position } from '../posts/publication-order.js';
import type { Viewer } from '../platform/access/viewer.js';
import { TagFollowsService } from '../tags/tag-follows.service.js';
import { UsersService } from '../users/users.service.js';
import type { FeedQuery } from './dto/feed.query.js';
import type { FollowingQuery } from './dto/following.query.js';
import {
  type FeedSelection,
  followingScopeOf,
  isOneLongRange,
  planOf,
  planOfTags,
  scopeOf,
  sortPathOf,
} from './feed-plan.js';
import { FeedReader } from './feed-reader.js';
import { TimelineReader } from './timelines/timeline-reader.js';

/** A page in the format of its serializer: cards as JSON, separated by commas. */
export type FeedPage = { cards: Buffer; count: number; nextCursor: string | null };

/** A feed, and the position at which a request starts. */
type Feed = {
  scope: string;
  epoch: number;
  after: CursorPosition | null;
  authorId?: string | undefined;
  /** the next cards */
  read: (after: CursorPosition | null, count: number) => Promise<SerializedCards>;
};

const NO_CARDS = SerializedCards.concat([]);

/** Reads pages of feeds, with one query each, or more for viewers with a list filter. */
@Injectable()
export class FeedService {
  constructor(
    private readonly reader: FeedReader,
    private readonly timelineReader: TimelineReader,
    private readonly epochs: ScoreEpochService,
    private readonly lists: FeedListsService,
    private readonly cursors: CursorCodec,
    private readonly users: UsersService,
    private readonly filters: ViewerFiltersService,
    private readonly tagFollows: TagFollowsService,
  ) {}

  /**
   * Returns a page. Pages are never short: `nextCursor` is null only at the end of the list.
   * @throws CodedError `invalid_cursor` for a cursor of another feed; `cursor_expired` when its ranking is being replaced
   */
  async list(query: FeedQuery, viewer: Viewer | null = null): Promise<SerializedPage> {
    const feed = await this.open(query, serializeCards);
    return this.listFrom(feed, query.limit, await this.filters.of(viewer));
  }

  /** As `list`, with cards written by `serialize`. */
  async read(query: FeedQuery, serialize: CardSerializer): Promise<FeedPage> {
    return this.firstCards(await this.open(query, serialize), query.limit);
  }

  /** Returns the newest posts of all followed accounts, of all followed tags, or of both. */
  async listFollowing(viewer: Viewer, query: FollowingQuery): Promise<SerializedPage> {
    const scope = followingScopeOf(viewer.id, query.include);
    const after = this.cursors.decode(scope, query.cursor);
    const [withPeople, withTags] = [query.include.includes('people'), query.include.includes('tags')];
    const read: Feed['read'] = async (from, count) => {
      const [byPeople, byTags] = await Promise.all([
        withPeople ? this.timelineReader.read(viewer, from, count) : NO_CARDS,
        withTags ? this.readFollowedTags(viewer, from, count) : NO_CARDS,
      ]);
      return withTags ? SerializedCards.merge(byPeople, byTags, count) : byPeople;
    };
    return this.listFrom({ scope, epoch: 0, after, read }, query.limit, await this.filters.of(viewer));
  }

  /** Returns the ids of the newest `count` posts of all followed accounts, newest first. */
  async latestFollowed(viewer: Viewer, count: number): Promise<ObjectId[]> {
    const cards = await this.timelineReader.read(viewer, null, count);
    return Array.from({ length: cards.length }, (_, at) => ObjectId.createFromHexString(cards.id(at)));
  }

  /** Returns the cards of the listed posts among `ids` that the filter shows, as JSON by id. */
  async listedAmong(ids: readonly string[], filter: ListFilter): Promise<Map<string, string>> {
    const found = await this.reader.listedAmong(ids);
    const shown = found.map((card) => [card.id, shownJson(card, filter)] as const);
    return new Map(shown.flatMap(([id, json]) => (json === null ? [] : [[id, json]])));
  }

  private async readFollowedTags(
    { _id }: Viewer,
    after: CursorPosition | null,
    count: number,
  ): Promise<SerializedCards> {
    const tags = await this.tagFollows.followedTags(_id);
    return tags.length === 0 ? NO_CARDS : this.reader.read(planOfTags(tags, after), null, count);
  }

  private async open(query: FeedQuery, serialize: CardSerializer): Promise<Feed> {
    const selection: FeedSelection = { sort: query.sort, window: query.window, tag: query.tag, type: query.type };
    if (query.author !== undefined) selection.authorId = (await this.users.getProfile(query.author))._id;
    const scope = scopeOf(selection);
    const after = this.cursors.decode(scope, query.cursor);
    // The host that issued the cursor may already use a newer epoch than this host.
    const current = await this.epochs.since(after?.epoch ?? 0);
    const { epoch, slot } = query.sort === 'latest' ? { epoch: 0, slot: current.slot } : rankingOf(after, current);
    const authorId = selection.authorId?.toHexString();
    if (isListSort(query.sort)) {
      const ids = await this.lists.ids(query.sort, { epoch, slot });
      const read: Feed['read'] = (from, count) =>
        this.reader.readList(idsAfter(ids, from), selection, count, serialize);
      return { scope, epoch, after, authorId, read };
    }
    const rankPath = sortPathOf(query.sort, slot);
    const read: Feed['read'] = (from, count) => {
      const plan = planOf(selection, slot, from);
      if (from === null || !isOneLongRange(selection)) return this.reader.read(plan, rankPath, count, serialize);
      const key = `${serialize.name} ${rankPath} ${from.value} ${from.id} ${count}`;
      return this.reader.readBatched(key, { plan, rankPath, count, serialize });
    };
    return { scope, epoch, after, authorId, read };
  }

  private async listFrom(feed: Feed, limit: number, filter: ListFilter): Promise<SerializedPage> {
    if (filter !== NO_FILTER) return this.filtered(feed, limit, filter);
    const { cards, nextCursor } = await this.firstCards(feed, limit);
    return SerializedPage.of(cards, nextCursor);
  }

  /** An additional card proves that there is a next page. */
  private async firstCards({ scope, epoch, after, read }: Feed, limit: number): Promise<FeedPage> {
    const cards = await read(after, limit + 1);
    const last = limit - 1;
    const nextCursor =
      cards.length > limit ? this.cursors.encode(scope, { epoch, value: cards.value(last), id: cards.id(last) }) : null;
    const count = Math.min(limit, cards.length);
    return { cards: cards.json(0, count), count, nextCursor };
  }

  private async filtered(feed: Feed, limit: number, filter: ListFilter): Promise<SerializedPage> {
    const { scope, epoch, after, authorId, read } = feed;
    if (authorId !== undefined && filter.hidesAccount(authorId)) return SerializedPage.of(Buffer.alloc(0), null);
    const positionOf = ({ value, id }: Position): CursorPosition => ({ epoch, value, id });
    const { data, page } = await fullPage<CardEntry, string>(
      limit,
      async (last, count) => (await read(last === null ? after : positionOf(last), count)).entries(),
      async (cards) => cards.map((card) => shownJson(card, filter)),
      (card) => this.cursors.encode(scope, positionOf(card)),
      filter.maxRows,
    );
    return SerializedPage.of(Buffer.from(data.join()), page.nextCursor);
  }
}

/** Returns the card for the viewer, or null if it is hidden. Parses the card only if texts are matched. */
function shownJson({ id, authorId, json }: CardEntry, filter: ListFilter): string | null {
  if (!filter.readsTexts) return filter.hidesPost(id, authorId) ? null : json;
  const card = filter.filterCard(JSON.parse(json) as PostCard);
  return card && JSON.stringify(card);
}

/** Returns the ranking in which the cursor was issued, while that ranking exists. */
function rankingOf(after: CursorPosition | null, current: ScoreEpoch): { epoch: number; slot: RankSlot } {
  if (after === null || after.epoch === current.epoch) return current;
  if (after.epoch === current.epoch - 1 && current.isPreviousReadable)
    return { epoch: after.epoch, slot: otherSlot(current.slot) };
  throw expired();
}

/** Returns the ids after the position in a list of the cursor's ranking. */
function idsAfter(ids: readonly string[], after: CursorPosition | null): readonly string[] {
  if (after === null) return ids;
  const at = ids.indexOf(after.id);
  if (at === -1) throw expired();
  return ids.slice(at + 1);
}

function expired(): CodedError {
  const message = 'belongs to a ranking that has been replaced; start again from the first page';
  return new CodedError('cursor_expired', 'The ranking of this cursor was replaced. Start again at the first page.', {
    fields: [{ field: 'cursor', message }],
  });
}
