import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Binary, type Collection, ObjectId } from 'mongodb';
import { FOLLOWS_CHANGED } from '../../follows/follows.events.js';
import { FollowsService } from '../../follows/follows.service.js';
import { streamBatches } from '../../platform/mongo/lean-reads.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { PHASE, type HandlerContext, TaskHandlers } from '../../platform/work-queue/task-handlers.js';
import { CARDS } from '../../posts/card/post-card.js';
import { positionOf } from '../../posts/publication-order.js';
import { POST_BACKDATED, POST_DELETED, POST_LISTED } from '../../posts/posts.events.js';
import { UsersService } from '../../users/users.service.js';
import { ACCOUNT_ENDED } from '../../users/users.events.js';
import { FollowingReader } from './following-reader.js';
import { TimelineEntries } from './timeline-entries.js';
import { entryId, entryRange, type TimelineEntry } from './timeline-entry-id.js';
import { TimelineConfig } from './timeline-config.js';
import { type OpenTimeline, Timelines } from './timelines.js';
import { TIMELINE_ENTRIES, type Timeline } from './timeline.schema.js';
import { TIMELINE_CLOSED, TIMELINE_FOLLOW, TIMELINE_OPENED } from './timeline.events.js';

const NAME = 'feed: home timelines';
const POST_FIELDS = { authorId: 1, createdAt: 1, isListed: 1 } as const;

type PublishedPost = { _id: ObjectId; authorId: ObjectId; createdAt: Date; isListed: boolean };
type Batches = Pick<HandlerContext, 'batchSize' | 'throttle'>;

/** Background tasks that maintain home timelines: fan out posts to followers, fill new timelines, and apply changes of follows. */
@Injectable()
export class TimelineFanout implements OnModuleInit {
  private readonly posts: Collection<PublishedPost>;

  constructor(
    private readonly handlers: TaskHandlers,
    private readonly timelines: Timelines,
    private readonly entries: TimelineEntries,
    private readonly following: FollowingReader,
    private readonly follows: FollowsService,
    private readonly users: UsersService,
    private readonly limits: TimelineConfig,
    private readonly mongo: MongoService,
  ) {
    this.posts = mongo.collection<PublishedPost>(CARDS);
  }

  onModuleInit(): void {
    this.mongo.hook(FOLLOWS_CHANGED, (changes, tx) => this.timelines.mark(changes, tx));
    const soon = { name: NAME, lane: 'foreground' } as const;
    for (const topic of [POST_LISTED, POST_BACKDATED])
      this.handlers.register(topic, { name: NAME, lane: 'fanout', run: (context) => this.deliver(context) });
    this.handlers.register(TIMELINE_OPENED, { ...soon, run: (context) => this.fill(context) });
    this.handlers.register(TIMELINE_FOLLOW, {
      ...soon,
      run: ({ payload, ...batches }) => this.follow(payload, batches),
    });
    this.handlers.register(TIMELINE_CLOSED, {
      name: NAME,
      run: ({ payload, deleteInBatches }) => deleteInBatches(TIMELINE_ENTRIES, { _id: entryRange(payload) }),
    });
    // Runs before other handlers delete the rows that this handler reads: the card and the author's followers.
    const order = PHASE.first;
    this.handlers.register(POST_DELETED, { name: NAME, order, run: (context) => this.removePost(context) });
    this.handlers.register(ACCOUNT_ENDED, {
      name: NAME,
      order,
      lane: 'both',
      run: (context) => this.removeAccount(context),
    });
  }

  private async deliver(context: HandlerContext): Promise<void> {
    const post = await this.posts.findOne({ _id: context.payload }, { projection: POST_FIELDS });
    if (post === null || !post.isListed) return;
    const author = await this.users.findById(post.authorId);
    if (author === null) return;
    if (author.stats.followersCount > this.limits.fannedOutFollowers)
      return this.mergeAtReadTime(post.authorId, context);
    const after = (context.position as ObjectId | undefined) ?? null;
    await this.eachTimelineBatch(post.authorId, context, (timelines) => this.deliverTo(timelines, post), after);
  }

  private async deliverTo(timelines: OpenTimeline[], post: PublishedPost): Promise<number> {
    const present: OpenTimeline[] = [];
    for (const timeline of timelines) {
      const isClosed = this.timelines.isInactive(timeline) && (await this.timelines.close(timeline._id, true));
      // A timeline stays open if its reader has just returned.
      if (!isClosed) present.push(timeline);
    }
    await this.entries.add(idsOf(present, post));
    for (const { _id, home } of present) {
      // Each post cuts different timelines, so that none grows far above its limit.
      if ((post._id.id[11]! + home.id[11]!) % this.limits.cutEvery === 0) await this.cut(home, _id);
    }
    return present.length;
  }

  /** Runs once per popular author: stops the fan-out, so that the author's posts are merged at read time. */
  private async mergeAtReadTime(authorId: ObjectId, batches: Batches): Promise<void> {
    if (await this.timelines.stopFanout(authorId)) return;
    await this.eachTimelineBatch(authorId, batches, async (timelines) => {
      const readerIds = timelines.map(({ _id }) => _id);
      await this.timelines.markMerged(readerIds, authorId);
      return readerIds.length;
    });
    await this.timelines.settle(authorId);
  }

  private async fill({ payload: readerId, ...batches }: HandlerContext): Promise<void> {
    const row = await this.timelines.find(readerId);
    if (row === null || row.home === null || row.isFilled) return;
    const authors = await this.follows.followingIds(readerId);
    // The threshold is half of the limit, because concurrent follows may not have found the row.
    if (authors.length < this.limits.mergedFollows / 2) return void (await this.timelines.close(readerId));
    const popular = new Set((await this.timelines.popularAmong(authors)).map(String));
    const others = authors.filter((id) => !popular.has(id.toHexString()));
    await this.write(row, row.home, others, batches);
    await this.timelines.markFilled(
      row,
      authors.filter((id) => popular.has(id.toHexString())),
    );
  }

  private async follow(
    { readerId, authorId }: { readerId: ObjectId; authorId: ObjectId },
    batches: Batches,
  ): Promise<void> {
    const row = await this.timelines.find(readerId);
    if (row === null) return;
    const isFollowing = await this.isFollowed(readerId, authorId);
    if (row.home !== null) {
      const isPopular = isFollowing && (await this.timelines.popularAmong([authorId])).length > 0;
      if (isFollowing && !isPopular) await this.write(row, row.home, [authorId], batches);
      if (!isFollowing) await this.removeAuthor(row.home, authorId, batches);
    }
    await this.timelines.unmark(readerId, authorId, isFollowing);
    // The reader has followed the author again. The task of that follow removes the mark after writing the entries.
    if (!isFollowing && (await this.isFollowed(readerId, authorId)))
      await this.timelines.markMerged([readerId], authorId);
  }

  private async isFollowed(readerId: ObjectId, authorId: ObjectId): Promise<boolean> {
    return (await this.follows.followedAmong(readerId, [authorId.toHexString()])).size > 0;
  }

  /** Adds the newest posts of these authors. Posts beyond `keptPosts` are below the floor. */
  private async write(
    { _id, floor }: Timeline,
    timelineId: ObjectId,
    authors: ObjectId[],
    batches: Batches,
  ): Promise<void> {
    const { keptPosts } = this.limits;
    const from = floor === null ? null : positionOf(floor);
    const found = await this.following.positions(authors, from, keptPosts + 1);
    if (found.length > keptPosts) {
      found.pop();
      await this.timelines.raiseFloor(timelineId, _id, found.at(-1)!);
    }
    const ids = found.map((entry) => entryId(timelineId, entry));
    await eachChunk(ids, batches, (some) => this.entries.add(some));
    await this.cut(timelineId, _id);
  }

  private async cut(timelineId: ObjectId, readerId: ObjectId): Promise<void> {
    const floor = await this.entries.lastOf(timelineId, this.limits.keptPosts);
    if (floor === null) return;
    await this.timelines.raiseFloor(timelineId, readerId, floor);
    await this.entries.deleteBelow(timelineId, floor);
  }

  private async removePost(context: HandlerContext): Promise<void> {
    const post = await this.posts.findOne({ _id: context.payload }, { projection: POST_FIELDS });
    if (post === null || (await this.timelines.popularAmong([post.authorId])).length > 0) return;
    await this.eachTimelineBatch(post.authorId, context, async (timelines) => {
      await this.entries.delete(idsOf(timelines, post));
      return timelines.length;
    });
  }

  /** Deletes the account's posts from timelines, and its own timeline. */
  private async removeAccount({ payload, ...batches }: HandlerContext): Promise<void> {
    await this.timelines.close(payload);
    if ((await this.timelines.popularAmong([payload])).length > 0) return this.timelines.deleteMergedAuthor(payload);
    await this.eachTimelineBatch(payload, batches, async (timelines) => {
      for (const { home } of timelines) await this.removeAuthor(home, payload, batches);
      return 0;
    });
  }

  private async removeAuthor(timelineId: ObjectId, authorId: ObjectId, batches: Batches): Promise<void> {
    const found = await this.entries.ofAuthor(timelineId, authorId);
    const ids = found.map((entry) => entryId(timelineId, entry));
    await eachChunk(ids, batches, (some) => this.entries.delete(some));
  }

  /**
   * Visits the open timelines of an author's followers, in the order of their follows.
   * @param visit returns the number of written rows, for throttling
   * @param start null or the position after which to start; another attempt continues where this one was
   */
  private async eachTimelineBatch(
    authorId: ObjectId,
    { batchSize, throttle }: Batches,
    visit: (timelines: OpenTimeline[]) => Promise<number>,
    start?: ObjectId | null,
  ): Promise<void> {
    const batches = streamBatches<{ followerId: ObjectId; seq: ObjectId }>(batchSize, (last, limit) =>
      this.follows.followersAfter(authorId, last?.seq ?? start ?? null, limit),
    );
    for await (const followers of batches) {
      const timelines = await this.timelines.openAmong(followers.map(({ followerId }) => followerId));
      const rows = timelines.length === 0 ? 0 : await visit(timelines);
      await throttle(rows, start === undefined ? undefined : followers.at(-1)!.seq);
    }
  }
}

function idsOf(timelines: OpenTimeline[], post: PublishedPost): Binary[] {
  const entry: TimelineEntry = { ...positionOf(post), authorId: post.authorId.toHexString() };
  return timelines.map(({ home }) => entryId(home, entry));
}

/** Writes entries in chunks, at the rate of the queue. */
async function eachChunk(
  ids: Binary[],
  { batchSize, throttle }: Batches,
  write: (ids: Binary[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < ids.length; at += batchSize) {
    const some = ids.slice(at, at + batchSize);
    await write(some);
    await throttle(some.length);
  }
}
