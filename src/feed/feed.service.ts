import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CursorCodec, type CursorPosition } from '../common/cursor.js';
import { CodedError } from '../common/errors.js';
import { otherSlot, type RankSlot, type ScoreEpoch } from '../ranking/score-epoch.js';
import { ScoreEpochService } from '../ranking/score-epoch.service.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { SerialisedPage } from '../platform/http/pagination/serialised-page.js';
import { type CardSerializer, type SerializedCards, serializeCards } from '../posts/card/card-json.js';
import type { Viewer } from '../platform/auth/viewer.js';
import { UsersService } from '../users/users.service.js';
import type { FeedQuery } from './dto/feed.query.js';
import { type FeedSelection, followingScopeOf, isOneLongRange, planOf, scopeOf, sortPathOf } from './feed-plan.js';
import { FeedReader } from './feed-reader.js';
import { TimelineReader } from './timelines/timeline-reader.js';

/** A page in the format of its serializer: cards as JSON, separated by commas. */
export type FeedPage = { cards: Buffer; count: number; nextCursor: string | null };

/** Reads pages of feeds, with one query each. */
@Injectable()
export class FeedService {
  constructor(
    private readonly reader: FeedReader,
    private readonly timelineReader: TimelineReader,
    private readonly epochs: ScoreEpochService,
    private readonly cursors: CursorCodec,
    private readonly users: UsersService,
  ) {}

  /**
   * Returns a page. Pages are never short: `nextCursor` is null only at the end of the list.
   * @throws CodedError `invalid_cursor` for a cursor of another feed; `cursor_expired` when its ranking is being replaced
   */
  async list(query: FeedQuery): Promise<SerialisedPage> {
    const { cards, nextCursor } = await this.read(query, serializeCards);
    return SerialisedPage.of(cards, nextCursor);
  }

  /** As `list`, with cards written by `serialize`. */
  async read(query: FeedQuery, serialize: CardSerializer): Promise<FeedPage> {
    const selection: FeedSelection = { sort: query.sort, window: query.window, tag: query.tag, type: query.type };
    if (query.author !== undefined) selection.authorId = (await this.users.getProfile(query.author))._id;
    const scope = scopeOf(selection);
    const after = query.cursor === undefined ? null : this.cursors.decode(scope, query.cursor);
    // The host that issued the cursor may already use a newer epoch than this host.
    const current = await this.epochs.since(after?.epoch ?? 0);
    const { epoch, slot } = query.sort === 'latest' ? { epoch: 0, slot: current.slot } : rankingOf(after, current);
    const rankPath = sortPathOf(query.sort, slot);
    const plan = planOf(selection, slot, after);
    const count = query.limit + 1;
    const cards =
      after !== null && isOneLongRange(selection)
        ? await this.reader.readBatched(`${serialize.name} ${rankPath} ${after.value} ${after.id} ${count}`, {
            ...{ plan, rankPath, count, serialize },
          })
        : await this.reader.read(plan, rankPath, count, serialize);
    return this.page(scope, epoch, cards, query.limit);
  }

  /** Returns the newest posts of all followed accounts. */
  async listFollowing(viewer: Viewer, query: PageQuery): Promise<SerialisedPage> {
    const scope = followingScopeOf(viewer.id);
    const after = query.cursor === undefined ? null : this.cursors.decode(scope, query.cursor);
    const read = await this.timelineReader.read(viewer.id, after, query.limit + 1);
    const { cards, nextCursor } = this.page(scope, 0, read, query.limit);
    return SerialisedPage.of(cards, nextCursor);
  }

  /** Returns the ids of the newest `count` posts of all followed accounts, newest first. */
  async latestFollowed(viewer: Viewer, count: number): Promise<ObjectId[]> {
    const cards = await this.timelineReader.read(viewer.id, null, count);
    return Array.from({ length: cards.length }, (_, at) => ObjectId.createFromHexString(cards.id(at)));
  }

  /** Cuts cards to a page of `limit`. An additional card proves that there is a next page. */
  private page(scope: string, epoch: number, cards: SerializedCards, limit: number): FeedPage {
    const last = limit - 1;
    const nextCursor =
      cards.length > limit ? this.cursors.encode(scope, { epoch, value: cards.value(last), id: cards.id(last) }) : null;
    const count = Math.min(limit, cards.length);
    return { cards: cards.json(0, count), count, nextCursor };
  }
}

/** Returns the ranking in which the cursor was issued, while that ranking exists. */
function rankingOf(after: CursorPosition | null, current: ScoreEpoch): { epoch: number; slot: RankSlot } {
  if (after === null || after.epoch === current.epoch) return current;
  if (after.epoch === current.epoch - 1 && current.isPreviousReadable)
    return { epoch: after.epoch, slot: otherSlot(current.slot) };
  const message = 'belongs to a ranking that has been replaced; start again from the first page';
  throw new CodedError('cursor_expired', 'The ranking of this cursor was replaced. Start again at the first page.', {
    fields: [{ field: 'cursor', message }],
  });
}
