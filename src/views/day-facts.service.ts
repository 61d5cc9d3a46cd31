import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ActivityProcessorService, type DatedFact } from '../activity/activity-processor.service.js';
import { uniqueIds } from '../common/unique-ids.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PostsService } from '../posts/posts.service.js';
import { UsersService } from '../users/users.service.js';
import { type DayChange, DayWriterService } from './day-writer.service.js';

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
    const likes = onceEach(facts.filter(({ kind }) => kind === 'like'));
    const comments = facts.filter(({ kind }) => kind === 'comment');
    const follows = onceEach(facts.filter(({ kind }) => kind === 'follow'));
    const ofPosts = [
      ...likes.map(({ target, at }) => ({ postId: target, at, counts: { likes: 1 } })),
      ...comments.map(({ second, at }) => ({ postId: second!, at, counts: { comments: 1 } })),
    ];
    // Likes of comments and collections are not found among the posts.
    const posts = await this.posts.findTargets(uniqueIds(ofPosts.map(({ postId }) => postId)), tx);
    const followed = uniqueIds(follows.map(({ target }) => target));
    const existing = new Set((await this.users.findParts(followed, ['username'], tx)).map(({ _id }) => String(_id)));
    const changes = ofPosts.flatMap(({ postId, at, counts }): DayChange[] => {
      const post = posts.get(postId.toHexString());
      return post?.deletedAt === null ? [{ postId, authorId: post.authorId, day: dayOf(at), counts }] : [];
    });
    const ofAuthors = follows
      .filter(({ target }) => existing.has(String(target)))
      .map(({ target: authorId, at }): DayChange => ({ authorId, day: dayOf(at), counts: { follows: 1 } }));
    await this.days.add([...changes, ...ofAuthors], tx);
  }
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** Returns one fact of each pair: a vote can be changed several times before it is applied. */
function onceEach(facts: readonly DatedFact[]): DatedFact[] {
  return [...new Map(facts.map((fact) => [`${String(fact.actor)}${String(fact.target)}`, fact])).values()];
}
