import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type Binary, type ClientSession, type Collection, MongoServerError, type ObjectId } from 'mongodb';
import { GroupCommit } from '../common/group-commit.js';
import { AppConfig } from '../config/app-config.js';
import type { Viewer } from '../platform/http/viewer.js';
import { HostTurns } from '../platform/cluster/host-turns.js';
import { byIds } from '../platform/mongo/batch-commands.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { eventId, eventViewer, windowEnd } from './event-id.js';
import type { PostEventKind, PostEventRow } from './post-event.schema.js';
import { POST_EVENTS, type PostStats } from './post-row.js';
import { canRead, postNotFound } from './post-view.js';
import { PostsService } from './posts.service.js';

export type PostEventResult = { counted: boolean; stats: PostStats };

export type RecordOptions = {
  /** joins the transaction: what it writes commits with the event or not at all; may run again after a conflict */
  onCommit?: (session: ClientSession, result: PostEventResult) => Promise<void>;
};

type Recorded = RecordOptions & {
  id: Binary;
  postId: ObjectId;
  kind: PostEventKind;
  viewer: Viewer | null;
};

const COUNTER = { view: 'viewsCount', read: 'readsCount', share: 'sharesCount' } as const;
const DUPLICATE_KEY = 11_000;
const MAX_ATTEMPTS = 5;

/**
 * Views, reads and shares: each counted once per viewer, post and window. Concurrent events share one transaction that writes the
 * rows and the post's counters; a caller is answered after its commit. PostEventDays sums the rows up when their window is over.
 */
@Injectable()
export class PostEventsService implements BeforeApplicationShutdown {
  private readonly events: Collection<PostEventRow>;
  private readonly key: string;
  private readonly windowHours: number;
  readonly group: GroupCommit<Recorded, PostEventResult>;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    turns: HostTurns,
    config: AppConfig,
  ) {
    this.group = new GroupCommit({
      name: 'post events',
      turn: () => turns.take('post events', { keepsPlace: true }),
      commit: (items) => this.commit(items),
    });
    this.events = mongo.collection<PostEventRow>(POST_EVENTS);
    this.key = `events:${config.auth.tokenSecret}`;
    this.windowHours = config.events.windowHours;
  }

  /** @throws CodedError `post_not_found`. Events on one's own hidden post are answered and not counted. */
  record(
    postId: ObjectId,
    kind: PostEventKind,
    viewer: Viewer | null,
    from: { address: string; userAgent: string | undefined },
    options: RecordOptions = {},
  ): Promise<PostEventResult> {
    const endsAt = windowEnd(Date.now(), this.windowHours);
    const who = eventViewer(viewer, from.address, from.userAgent);
    const id = eventId(this.key, who, postId, kind, endsAt);
    return this.group.submit({ id, postId, kind, viewer, ...options });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.group.close();
  }

  private async commit(items: Recorded[]): Promise<(PostEventResult | Error)[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.mongo.transaction((session) => this.write(items, session));
      } catch (error) {
        // another worker stored the same event after our snapshot; the next one sees it
        const isDuplicate = error instanceof MongoServerError && error.code === DUPLICATE_KEY;
        if (!isDuplicate || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private async write(items: Recorded[], session: ClientSession): Promise<(PostEventResult | Error)[]> {
    const postIds = new Map(items.map(({ postId }) => [postId.toHexString(), postId]));
    const targets = await this.posts.findTargets([...postIds.values()], session);
    const filter = byIds(items.map(({ id }) => id));
    const stored = await this.mongo.batch.find<Pick<PostEventRow, '_id'>>(
      this.events,
      filter,
      { _id: 1 },
      items.length,
      session,
    );
    const seen = new Set(stored.map((row) => row._id.toString('hex')));
    const fresh: Recorded[] = [];
    const changes = new Map<string, Partial<PostStats>>();
    const outcomes = items.map((item): boolean | Error => {
      const target = targets.get(item.postId.toHexString());
      if (target === undefined || target.deletedAt !== null || !canRead(target, item.viewer)) return postNotFound();
      const hex = item.id.toString('hex');
      if (!target.isListed || seen.has(hex)) return false;
      seen.add(hex);
      fresh.push(item);
      add(changes, item);
      return true;
    });
    if (fresh.length > 0) {
      // counters first: workers that collide on a hot post find out before they have written the rows
      await this.posts.applyStats(changes, session);
      const at = new Date();
      const rows = fresh.map(({ id, postId, kind }): PostEventRow => ({ _id: id, postId, kind, at }));
      await this.mongo.batch.insert(this.events, rows, session);
    }
    const results = outcomes.map((outcome, index) => {
      if (outcome instanceof Error) return outcome;
      const hex = items[index]!.postId.toHexString();
      return { counted: outcome, stats: sum(targets.get(hex)!.stats, changes.get(hex)) };
    });
    for (const [index, { onCommit }] of items.entries()) {
      const result = results[index]!;
      if (onCommit !== undefined && !(result instanceof Error)) await onCommit(session, result);
    }
    return results;
  }
}

function add(changes: Map<string, Partial<PostStats>>, { postId, kind }: Recorded): void {
  const change = changes.get(postId.toHexString()) ?? {};
  change[COUNTER[kind]] = (change[COUNTER[kind]] ?? 0) + 1;
  changes.set(postId.toHexString(), change);
}

function sum(stats: PostStats, change: Partial<PostStats> = {}): PostStats {
  return {
    viewsCount: stats.viewsCount + (change.viewsCount ?? 0),
    readsCount: stats.readsCount + (change.readsCount ?? 0),
    likesCount: stats.likesCount,
    dislikesCount: stats.dislikesCount,
    sharesCount: stats.sharesCount + (change.sharesCount ?? 0),
    commentsCount: stats.commentsCount,
  };
}
