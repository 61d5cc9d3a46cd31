import { Injectable } from '@nestjs/common';
import { Binary, type ClientSession, type Collection, ObjectId } from 'mongodb';
import type { IsGone } from '../../common/client-gone.js';
import { AppConfig } from '../../config/app-config.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { HostWriter, type Submit } from '../../platform/cluster/host-writer.js';
import { type AnswerKey, IdempotencyService } from '../../platform/idempotency/idempotency.service.js';
import { isDuplicateKey } from '../../platform/mongo/duplicate-key.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { EVENT_KINDS, eventId, type EventKind, eventViewer, windowEnd } from './event-keys.js';
import type { PostEventRow } from './post-event.schema.js';
import { POST_EVENTS, type PostChanges } from '../post-row.js';
import { PostsService } from '../posts.service.js';
import { canRead, postNotFound } from '../visibility.js';

export type PostEventResult = { counted: boolean };

/** An item as it travels between the processes of a host; ids as hex. */
type EventItem = {
  id: string;
  postId: string;
  kind: EventKind;
  viewer: Viewer | null;
  /** the answer is stored under it, with the event or not at all */
  key?: AnswerKey | undefined;
};

const MAX_ATTEMPTS = 5;

/**
 * Views, reads and shares: each counted once per viewer, post and window. Concurrent events share one transaction that writes the
 * rows and the post's counters; a caller is answered after its commit. PostEventDays sums the rows up when their window is over.
 */
@Injectable()
export class PostEventsService {
  private readonly events: Collection<PostEventRow>;
  private readonly secret: string;
  private readonly windowHours: number;
  private readonly submit: Submit<EventItem, PostEventResult>;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly keys: IdempotencyService,
    writer: HostWriter,
    config: AppConfig,
  ) {
    this.submit = writer.group({
      name: 'post events',
      // an event is counted once, however late: whether its client still waits need not be asked before it is written
      commit: (items) => this.commit(items),
    });
    this.events = mongo.collection<PostEventRow>(POST_EVENTS);
    // the first secret alone: in the window in which it changes, a repeated view counts once more
    this.secret = `events:${config.auth.tokenSecrets[0]}`;
    this.windowHours = config.events.windowHours;
  }

  /** @throws CodedError `post_not_found`. Events on one's own hidden post are answered and not counted. */
  record(
    postId: ObjectId,
    kind: EventKind,
    viewer: Viewer | null,
    address: string,
    { key, isGone }: { key?: AnswerKey | undefined; isGone: IsGone },
  ): Promise<PostEventResult> {
    const endsAt = windowEnd(Date.now(), this.windowHours);
    const who = eventViewer(viewer, address);
    const id = eventId(this.secret, who, postId, kind, endsAt).toString('hex');
    return this.submit({ id, postId: postId.toHexString(), kind, viewer, key }, isGone);
  }

  private async commit(items: EventItem[]): Promise<(PostEventResult | Error)[]> {
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
   * Events are nearly always of listed posts. So no post is read for an event that is new: the statement that counts it
   * says whether its post is listed, and if one is not, the batch begins again and reads all of its posts.
   */
  private async write(
    items: EventItem[],
    assumesListed: boolean,
    session: ClientSession,
  ): Promise<(PostEventResult | Error)[]> {
    const read = (some: EventItem[]) => this.posts.findTargets(postIdsOf(some), session);
    const known = assumesListed ? undefined : await read(items);
    const countable = known === undefined ? items : items.filter((item) => known.get(item.postId)?.isListed === true);
    const fresh = await this.store(countable, session);
    const changes = changesOf(fresh.values());
    if (!(await this.posts.applyStatsOfListed(changes, session))) throw new UnlistedPost();

    const targets = known ?? (await read(items.filter((item) => !changes.has(item.postId))));
    const results = items.map((item): PostEventResult | Error => {
      const isCounted = changes.has(item.postId);
      if (!isCounted && !canRead(targets.get(item.postId), item.viewer?.id)) return postNotFound();
      return { counted: fresh.get(item.id) === item };
    });
    for (const [index, { key }] of items.entries()) {
      const body = results[index]!;
      if (key === undefined || body instanceof Error) continue;
      await this.keys.storeFor(key, { headers: {}, body }, session);
    }
    return results;
  }

  /** Stores those that are not there yet, the first of each key, and returns them by it. */
  private async store(items: EventItem[], session: ClientSession): Promise<Map<string, EventItem>> {
    const first = new Map<string, EventItem>();
    for (const item of items) if (!first.has(item.id)) first.set(item.id, item);
    const unique = [...first];
    const at = new Date();
    const rows = unique.map(([id, { postId, kind, viewer }]): PostEventRow => {
      const row = { _id: Binary.createFromHexString(id), postId: ObjectId.createFromHexString(postId), kind, at };
      return viewer === null ? { ...row, isVisitor: true } : row;
    });
    const places = await this.mongo.batch.insertMissing(this.events, rows, session);
    return new Map(places.map((place) => unique[place]!));
  }
}

/** Ends a transaction that counted on every post being listed. */
class UnlistedPost extends Error {}

function postIdsOf(items: EventItem[]): ObjectId[] {
  return [...new Set(items.map(({ postId }) => postId))].map((hex) => ObjectId.createFromHexString(hex));
}

function changesOf(events: Iterable<EventItem>): Map<string, PostChanges> {
  const changes = new Map<string, PostChanges>();
  for (const { kind, postId, viewer } of events) {
    const change = changes.get(postId) ?? {};
    const { counter, ofVisitors } = EVENT_KINDS[kind];
    change[counter] = (change[counter] ?? 0) + 1;
    if (viewer === null && ofVisitors !== null) change[ofVisitors] = (change[ofVisitors] ?? 0) + 1;
    changes.set(postId, change);
  }
  return changes;
}
