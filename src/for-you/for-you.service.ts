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
import { UsersService } from '../users/users.service.js';
import type { ForYouCardDto } from './dto/for-you.dto.js';
import { FeedSnapshotsService } from './feed-snapshots.service.js';
import { PersonalRankingService } from './personal-ranking.service.js';
import { type ForYouReason, type Ranked, REASONS } from './rank-candidates.js';

const ENDS = Object.fromEntries(REASONS.map((reason) => [reason, Buffer.from(`,"reason":"${reason}"},`)])) as Record<
  ForYouReason,
  Buffer
>;

type Place = Ranked & { at: number };
/** A feed that is already ranked. */
type Snapshot = { id: ObjectId; read: (from: number, count: number) => Promise<Ranked[]> };

/** The personal feed: its first page is computed, and the next ones are read from a snapshot. */
@Injectable()
export class ForYouService {
  constructor(
    private readonly users: UsersService,
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
      const id = ObjectId.createFromHexString(position.id);
      const read: Snapshot['read'] = (from, count) => this.snapshots.read(id, viewer._id, from, count);
      return this.page(viewer, limit, { id, read }, position.value);
    }
    if (!(await this.users.isPersonalised(viewer._id))) return this.popular(viewer, query);
    this.cursors.decode(scopeOf(viewer), cursor);
    const ranked = await this.ranking.of(viewer);
    const id = new ObjectId();
    if (ranked.length > limit) await this.snapshots.create(id, viewer._id, ranked);
    const read: Snapshot['read'] = async (from, count) => ranked.slice(from, from + count);
    return this.page(viewer, limit, { id, read }, 0);
  }

  /** Returns null for a cursor of the hot feed, by which a reader without a personal feed pages. */
  private positionOf(viewer: Viewer, cursor: string | undefined): CursorPosition | null {
    try {
      return this.cursors.decode(scopeOf(viewer), cursor);
    } catch {
      return null;
    }
  }

  private async page(viewer: Viewer, limit: number, snapshot: Snapshot, start: number): Promise<SerializedPage> {
    const filter = await this.filters.of(viewer);
    const id = snapshot.id.toHexString();
    const { data, page } = await fullPage<Place, Buffer>(
      limit,
      async (last, count) => {
        const from = last === null ? start : last.at + 1;
        return (await snapshot.read(from, count)).map((ranked, index) => ({ ...ranked, at: from + index }));
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
    return SerializedPage.of(Buffer.concat(data).subarray(0, -1), page.nextCursor);
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

/** Returns the card and a comma. */
function withReason(card: Buffer | undefined, reason: ForYouReason): Buffer | null {
  return card === undefined ? null : Buffer.concat([card.subarray(0, -1), ENDS[reason]]);
}
