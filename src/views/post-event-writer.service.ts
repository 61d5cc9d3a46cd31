import { Injectable } from '@nestjs/common';
import { Binary, type Collection, ObjectId } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import { type ViewerClaims, weighsAsVisitor } from '../platform/access/viewer.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { type PostChanges, PostsService } from '../posts/posts.service.js';
import { canRead, postNotFound } from '../posts/visibility.js';
import { type RecentPostEvent, RecentPostEventSchema } from './post-event.schema.js';
import { EVENT_KINDS, eventId, type EventKind, eventViewer, windowEnd } from './event-keys.js';
import type { IdempotencyKey } from '../platform/mongo/transaction-rows.js';

export type PostEventResult = { counted: boolean };

/** An event of a viewer on a post. A verified account is its own viewer; all others are counted by network. */
export type PostEvent = { postId: string; kind: EventKind; viewer: ViewerClaims | null; address: string; at: number };

/** JSON form of an event in messages to the writer process; ids are hex. */
export type PostEventItem = {
  id: string;
  postId: string;
  kind: EventKind;
  viewer: ViewerClaims | null;
  /** ms since the epoch; absent: the time of the write */
  at?: number;
  /** of a view: a host, or `internal` */
  referrer?: string | undefined;
  /** stores the response under this key in the transaction of the event */
  key?: IdempotencyKey | undefined;
};

const MAX_ATTEMPTS = 5;

/** Writes a batch of events and the counters of their posts in one transaction. Counts each event once per viewer, post and window. */
@Injectable()
export class PostEventWriterService {
  private readonly events: Collection<RecentPostEvent>;
  private readonly secret: string;
  private readonly windowHours: number;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    config: AppConfig,
  ) {
    this.events = mongo.collection(RecentPostEventSchema);
    // Uses the first secret only. During a change of secrets, a repeated view may count once more.
    this.secret = `events:${config.auth.tokenSecrets[0]}`;
    this.windowHours = config.events.windowHours;
  }

  /** Returns the primary key as hex. Events that count once have the same key. */
  idOf(event: PostEvent): string {
    const { postId, kind, viewer, address } = event;
    const id = ObjectId.createFromHexString(postId);
    return eventId(this.secret, eventViewer(viewer, address), id, kind, this.windowEndOf(event)).toString('hex');
  }

  windowEndOf({ at }: Pick<PostEvent, 'at'>): Date {
    return windowEnd(at, this.windowHours);
  }

  /** Returns a result for each item, in order. Returns `post_not_found` as an Error. */
  async commit(items: PostEventItem[]): Promise<(PostEventResult | Error)[]> {
    let assumesListed = true;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.mongo.transaction((tx) => this.write(items, assumesListed, tx));
      } catch (error) {
        if (error instanceof NotListed && assumesListed) {
          assumesListed = false;
          continue;
        }
        // Another worker stored the same event after the snapshot. The next snapshot contains the event.
        if (!isDuplicateKey(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Reads no post for a new event, because nearly all events are on listed posts. The counter update shows whether a post is listed. If a
   * post is not listed, the batch restarts and reads all of its posts.
   */
  private async write(
    items: PostEventItem[],
    assumesListed: boolean,
    tx: Transaction,
  ): Promise<(PostEventResult | Error)[]> {
    const read = (some: PostEventItem[]) => this.posts.findTargets(postIdsOf(some), tx);
    const known = assumesListed ? undefined : await read(items);
    const countable = known === undefined ? items : items.filter((item) => canRead(known.get(item.postId), undefined));
    const fresh = await this.store(countable, tx);
    const changes = changesOf(fresh.values());
    if (known !== undefined) await this.posts.applyStats(changes, tx);
    else if (!(await this.posts.applyStatsOfListed(changes, tx))) throw new NotListed();

    const targets = known ?? (await read(items.filter((item) => !changes.has(item.postId))));
    const results = items.map((item): PostEventResult | Error => {
      const isCounted = changes.has(item.postId);
      if (!isCounted && !canRead(targets.get(item.postId), item.viewer?.id)) return postNotFound();
      return { counted: fresh.get(item.id) === item };
    });
    for (const [index, { key }] of items.entries()) {
      const body = results[index]!;
      if (body instanceof Error) continue;
      tx.storeResponse(key, { status: 200, headers: {}, body });
    }
    return results;
  }

  /** Stores the first event of each key, unless the key exists. Returns the stored events by key. */
  private async store(items: PostEventItem[], tx: Transaction): Promise<Map<string, PostEventItem>> {
    const first = new Map<string, PostEventItem>();
    for (const item of items) if (!first.has(item.id)) first.set(item.id, item);
    const unique = [...first];
    const now = Date.now();
    const rows = unique.map(([id, { postId: hex, kind, viewer, at = now, referrer }]): RecentPostEvent => {
      const postId = ObjectId.createFromHexString(hex);
      const source = kind === 'view' && referrer !== undefined && { referrer };
      const row = { _id: Binary.createFromHexString(id), postId, kind, at: new Date(at), ...source };
      return weighsAsVisitor(viewer) ? { ...row, isVisitor: true } : row;
    });
    const places = await tx.insertMissing(this.events, rows);
    return new Map(places.map((place) => unique[place]!));
  }
}

/** Aborts a transaction that assumed that every post is listed. */
class NotListed extends Error {}

function postIdsOf(items: PostEventItem[]): ObjectId[] {
  return [...new Set(items.map(({ postId }) => postId))].map((hex) => ObjectId.createFromHexString(hex));
}

function changesOf(events: Iterable<PostEventItem>): Map<string, PostChanges> {
  const changes = new Map<string, PostChanges>();
  for (const { kind, postId, viewer } of events) {
    const change = changes.get(postId) ?? {};
    const { counter, ofVisitors } = EVENT_KINDS[kind];
    change[counter] = (change[counter] ?? 0) + 1;
    if (weighsAsVisitor(viewer) && ofVisitors !== null) change[ofVisitors] = (change[ofVisitors] ?? 0) + 1;
    changes.set(postId, change);
  }
  return changes;
}
