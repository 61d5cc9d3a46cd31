import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { ViewerFiltersService } from '../blocks/viewer-filters.service.js';
import { CursorCodec, type CursorPosition } from '../common/cursor.js';
import { FeedService } from '../feed/feed.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { fullPage } from '../platform/http/pagination/full-page.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { SerializedPage } from '../platform/http/pagination/serialized-page.js';
import type { PostCard } from '../posts/card/post-card.js';
import type { ForYouCardDto } from './dto/for-you.dto.js';
import type { FeedSnapshot } from './feed-snapshot.schema.js';
import { FeedSnapshotsService } from './feed-snapshots.service.js';
import { PersonalRankingService } from './personal-ranking.service.js';
import { decodeFeed, encodeFeed, type ForYouReason, type Ranked } from './rank-candidates.js';

type Place = Ranked & { at: number };
type StoredFeed = Pick<FeedSnapshot, 'feedId' | 'posts'>;

/** The personal feed: its first page is computed, and the next ones are read from a snapshot. */
@Injectable()
export class ForYouService {
  constructor(
    private readonly ranking: PersonalRankingService,
    private readonly snapshots: FeedSnapshotsService,
    private readonly feed: FeedService,
    private readonly filters: ViewerFiltersService,
    private readonly cursors: CursorCodec,
  ) {}

  /** @throws CodedError `invalid_cursor`, `cursor_expired` */
  async list(viewer: Viewer, query: PageQuery): Promise<SerializedPage | Page<ForYouCardDto>> {
    const { limit, cursor } = query;
    const position = this.positionOf(viewer, cursor);
    if (position !== null) {
      const feedId = ObjectId.createFromHexString(position.id);
      const posts = await this.snapshots.get(viewer.id, position.id);
      return this.page(viewer, limit, { feedId, posts }, position.value);
    }
    const state = await this.ranking.findState(viewer);
    if (state === null) return this.popular(viewer, query);
    this.cursors.decode(scopeOf(viewer), cursor);
    const ranked = await this.ranking.rank(viewer, state);
    const feed = { feedId: new ObjectId(), posts: encodeFeed(ranked) };
    const [page] = await Promise.all([
      this.page(viewer, limit, feed, 0),
      ranked.length > limit && this.snapshots.create({ userId: viewer._id, ...feed }, state.snapshots),
    ]);
    return page;
  }

  /** Returns null for a cursor of the hot feed, by which a reader without a personal feed pages. */
  private positionOf(viewer: Viewer, cursor: string | undefined): CursorPosition | null {
    try {
      return this.cursors.decode(scopeOf(viewer), cursor);
    } catch {
      return null;
    }
  }

  private async page(viewer: Viewer, limit: number, feed: StoredFeed, start: number): Promise<SerializedPage> {
    const filter = await this.filters.of(viewer);
    const id = feed.feedId.toHexString();
    const { data, page } = await fullPage<Place, string>(
      limit,
      async (last, count) => {
        const from = last === null ? start : last.at + 1;
        return decodeFeed(feed.posts, from, count).map((ranked, index) => ({ ...ranked, at: from + index }));
      },
      async (places) => {
        const cards = await this.feed.listedAmong(
          places.map((place) => place.id),
          filter,
        );
        return places.map((place) => withReason(cards.get(place.id), place.reason));
      },
      ({ at }) => this.cursors.encode(scopeOf(viewer), { id, value: at + 1 }),
      filter.maxRows,
    );
    return SerializedPage.of(Buffer.from(data.join()), page.nextCursor);
  }

  private async popular(viewer: Viewer, query: PageQuery): Promise<Page<ForYouCardDto>> {
    const { json } = await this.feed.list({ ...query, sort: 'hot', window: 'all' }, viewer);
    const { data, page } = JSON.parse(json.toString()) as Page<PostCard>;
    return { data: data.map((card) => ({ ...card, reason: 'popular' })), page };
  }
}

function scopeOf({ id }: Viewer): string {
  return `for-you|${id}`;
}

function withReason(card: string | undefined, reason: ForYouReason): string | null {
  return card === undefined ? null : `${card.slice(0, -1)},"reason":"${reason}"}`;
}
