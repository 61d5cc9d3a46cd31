import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Binary, type ClientSession, type Collection, ObjectId } from 'mongodb';
import type { IsGone } from '../../common/client-gone.js';
import type { GroupCommit } from '../../common/group-commit.js';
import { AppConfig } from '../../config/app-config.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { HostBatches, type Packing } from '../../platform/cluster/host-batches.js';
import { isDuplicateKey } from '../../platform/mongo/duplicate-key.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { eventId, eventViewer, windowEnd } from './event-id.js';
import type { PostEventKind, PostEventRow } from './post-event.schema.js';
import { POST_EVENTS, type PostChanges } from '../post-row.js';
import { PostsService } from '../posts.service.js';
import { canRead, postNotFound } from '../visibility.js';

export type PostEventResult = { counted: boolean };

type OnCommit = {
  /** joins the transaction: what it writes commits with the event or not at all; may run again after a conflict */
  onCommit?: (session: ClientSession, result: PostEventResult) => Promise<void>;
};

export type RecordOptions = OnCommit & { isGone: IsGone };

type Recorded = OnCommit & {
  id: Binary;
  postId: ObjectId;
  /** both ids as text, for maps */
  key: string;
  postKey: string;
  kind: PostEventKind;
  viewer: Viewer | null;
};

type PackedEvent = { id: string; postId: string; kind: PostEventKind; viewer: Viewer | null };

/**
 * On their way between processes. An event is stored once, however often it is committed; one whose key is stored with it stays in its
 * process.
 */
const EVENT_PACKING: Packing<Recorded, PostEventResult> = {
  item: ({ key, postKey, kind, viewer, onCommit }): PackedEvent | null =>
    onCommit === undefined ? { id: key, postId: postKey, kind, viewer } : null,
  unpackItem: ({ id, postId, kind, viewer }: PackedEvent): Recorded => ({
    id: Binary.createFromHexString(id),
    postId: ObjectId.createFromHexString(postId),
    key: id,
    postKey: postId,
    kind,
    viewer,
  }),
  result: (result) => result,
  unpackResult: (result: PostEventResult) => result,
};

const COUNTER = { view: 'viewsCount', read: 'readsCount', share: 'sharesCount' } as const;
const VISITOR_COUNTER = { view: null, read: 'visitorReads', share: 'visitorShares' } as const;
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
    batches: HostBatches,
    config: AppConfig,
  ) {
    this.group = batches.group({
      name: 'post events',
      packing: EVENT_PACKING,
      // an event is counted once, however late: what its client gives up need not be looked for again before it is written
      commit: (items) => this.commit(items),
    });
    this.events = mongo.collection<PostEventRow>(POST_EVENTS);
    // the first secret alone: in the window in which it changes, a repeated view counts once more
    this.key = `events:${config.auth.tokenSecrets[0]}`;
    this.windowHours = config.events.windowHours;
  }

  /** @throws CodedError `post_not_found`. Events on one's own hidden post are answered and not counted. */
  record(
    postId: ObjectId,
    kind: PostEventKind,
    viewer: Viewer | null,
    address: string,
    { onCommit, isGone }: RecordOptions,
  ): Promise<PostEventResult> {
    const endsAt = windowEnd(Date.now(), this.windowHours);
    const who = eventViewer(viewer, address);
    const id = eventId(this.key, who, postId, kind, endsAt);
    const keys = { key: id.toString('hex'), postKey: postId.toHexString() };
    return this.group.submit({ id, postId, ...keys, kind, viewer, onCommit }, { isGone });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.group.close();
  }

  private async commit(items: Recorded[]): Promise<(PostEventResult | Error)[]> {
    let assumesListed = true;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.mongo.transaction((session) => this.write(items, assumesListed, session));
      } catch (error) {
        if (error instanceof UnlistedPost && assumesListed) {
          assumesListed = false;
          continue;
        }
        // another worker stored the same event after our snapshot; the next one sees it
        if (!isDuplicateKey(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Events are nearly always of posts that everybody may read. So no post is read for an event that is new: the statement that counts it
   * says whether its post is listed, and if one is not, the batch begins again and reads all of its posts.
   */
  private async write(
    items: Recorded[],
    assumesListed: boolean,
    session: ClientSession,
  ): Promise<(PostEventResult | Error)[]> {
    const read = (some: Recorded[]) => this.posts.findTargets(postIdsOf(some), session);
    const known = assumesListed ? undefined : await read(items);
    const countable = known === undefined ? items : items.filter((item) => known.get(item.postKey)?.isListed === true);
    const fresh = await this.store(countable, session);
    const changes = changesOf(fresh.values());
    if (!(await this.posts.applyStatsOfListed(changes, session))) throw new UnlistedPost();

    const targets = known ?? (await read(items.filter((item) => !changes.has(item.postKey))));
    const results = items.map((item): PostEventResult | Error => {
      const isCounted = changes.has(item.postKey);
      if (!isCounted && !canRead(targets.get(item.postKey), item.viewer?.id)) return postNotFound();
      return { counted: fresh.get(item.key) === item };
    });
    for (const [index, { onCommit }] of items.entries()) {
      const result = results[index]!;
      if (onCommit !== undefined && !(result instanceof Error)) await onCommit(session, result);
    }
    return results;
  }

  /** Stores those that are not there yet, the first of each key, and returns them by it. */
  private async store(items: Recorded[], session: ClientSession): Promise<Map<string, Recorded>> {
    const first = new Map<string, Recorded>();
    for (const item of items) if (!first.has(item.key)) first.set(item.key, item);
    const unique = [...first.values()];
    const at = new Date();
    const rows = unique.map(({ id, postId, kind, viewer }): PostEventRow => {
      const row = { _id: id, postId, kind, at };
      return viewer === null ? { ...row, isVisitor: true } : row;
    });
    const places = await this.mongo.batch.insertMissing(this.events, rows, session);
    return new Map(places.map((place) => [unique[place]!.key, unique[place]!]));
  }
}

/** Ends a transaction that counted on every post being listed. */
class UnlistedPost extends Error {}

function postIdsOf(items: Recorded[]): ObjectId[] {
  return [...new Map(items.map((item) => [item.postKey, item.postId])).values()];
}

function changesOf(events: Iterable<Recorded>): Map<string, PostChanges> {
  const changes = new Map<string, PostChanges>();
  for (const { kind, postKey, viewer } of events) {
    const change = changes.get(postKey) ?? {};
    const add = (counter: keyof PostChanges) => (change[counter] = (change[counter] ?? 0) + 1);
    add(COUNTER[kind]);
    const ofVisitors = viewer === null ? VISITOR_COUNTER[kind] : null;
    if (ofVisitors !== null) add(ofVisitors);
    changes.set(postKey, change);
  }
  return changes;
}
