import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { ActivityProcessorService, type DatedFact } from '../activity/activity-processor.service.js';
import { uniqueIds } from '../common/unique-ids.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PostsService } from '../posts/posts.service.js';
import { UsersService } from '../users/users.service.js';
import { type DayChange, DayWriterService } from './day-writer.service.js';

const DAY_MS = 86_400_000;

/** Adds likes, comments and follows to the day on which they were made. A like that is taken back stays in its day. */
@Injectable()
export class DayFactsService implements OnModuleInit {
  constructor(
    private readonly activity: ActivityProcessorService,
    private readonly posts: PostsService,
    private readonly users: UsersService,
    private readonly days: DayWriterService,
  ) {}

  onModuleInit(): void {
    this.activity.register({ name: 'day stats', apply: (facts, tx) => this.apply(facts, tx) });
  }

  private async apply(facts: readonly DatedFact[], tx: Transaction): Promise<void> {
    const ofPosts = [
      ...countDays(facts, 'like', ({ target }) => target),
      ...countDays(facts, 'comment', ({ second }) => second!),
    ];
    const follows = countDays(facts, 'follow', ({ target }) => target);
    // Likes of comments and collections are not found among the posts.
    const posts = await this.posts.findTargets(uniqueIds(ofPosts.map(({ id }) => id)), tx);
    const followed = uniqueIds(follows.map(({ id }) => id));
    const existing = new Set((await this.users.findParts(followed, ['username'], tx)).map(({ _id }) => String(_id)));
    const changes = ofPosts.flatMap(({ id: postId, day, counts }): DayChange[] => {
      const post = posts.get(postId.toHexString());
      return post?.deletedAt === null ? [{ postId, authorId: post.authorId, day, counts }] : [];
    });
    const ofAuthors = follows
      .filter(({ id }) => existing.has(id.toHexString()))
      .map(({ id: authorId, day, counts }): DayChange => ({ authorId, day, counts }));
    await this.days.add([...changes, ...ofAuthors], tx);
  }
}

type DayCount = { id: ObjectId; day: string; counts: Record<string, number> };

const COUNTERS = { like: 'likes', comment: 'comments', follow: 'follows' } as const;

/**
 * Counts the facts of a kind by day and by the row that `idOf` returns. A vote or a follow can be changed several times before it is
 * applied, so each account counts once; comments have a target each.
 */
function countDays(
  facts: readonly DatedFact[],
  kind: keyof typeof COUNTERS,
  idOf: (fact: DatedFact) => ObjectId,
): DayCount[] {
  const days = new Map<string, { id: ObjectId; day: string; pairs: Set<string> }>();
  for (const fact of facts) {
    if (fact.kind !== kind) continue;
    const id = idOf(fact);
    const key = `${id.toHexString()}${Math.floor(fact.at.getTime() / DAY_MS)}`;
    let day = days.get(key);
    if (day === undefined) days.set(key, (day = { id, day: fact.at.toISOString().slice(0, 10), pairs: new Set() }));
    day.pairs.add(fact.actor.toHexString() + (kind === 'comment' ? fact.target.toHexString() : ''));
  }
  return [...days.values()].map(({ id, day, pairs }) => ({ id, day, counts: { [COUNTERS[kind]]: pairs.size } }));
}
