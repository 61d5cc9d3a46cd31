import { pairId } from '../../src/common/pair-id.js';
import { DEMO_ACCOUNTS } from '../../src/common/demo-accounts.js';
import { EXAMPLE } from '../../src/common/examples.js';
import { interactionId } from '../../src/interactions/interaction-id.js';
import { type TagFollow, tagFollowId } from '../../src/tags/tag-follow.schema.js';
import { INTERACTIONS, isCommentVote } from '../plan/interactions-plan.js';
import type { Plan } from '../plan/plan.js';
import { STREAMS } from '../plan/streams.js';
import { Random } from '../sampling/random.js';
import { TAG_TAILS } from '../words/tags.js';
import { TOPICS } from '../words/topics/topics.js';
import type { CommentsWriter } from './comments-writer.js';
import type { FollowDocument, InteractionDocument } from './document-types.js';
import type { PeopleWriter } from './people-writer.js';
import type { PostsWriter } from './posts-writer.js';
import type { SeedIds } from './seed-ids.js';

/** tags that each account follows */
export const FOLLOWED_TAGS = 3;
const TAGS = [...new Set([...TOPICS.map(({ tag }) => tag), ...TAG_TAILS])];

/** Writes the rows that link two documents: follows, votes and saves. */
export class PairsWriter {
  private readonly random = new Random(0);

  constructor(
    private readonly plan: Plan,
    private readonly ids: SeedIds,
    private readonly people: PeopleWriter,
    private readonly posts: PostsWriter,
    private readonly comments: CommentsWriter,
  ) {}

  follow(row: number): FollowDocument {
    const { follows } = this.plan;
    const followerId = this.people.id(follows.follower[row]!);
    const followingId = this.people.id(follows.following[row]!);
    return {
      _id: pairId(followerId, followingId),
      followerId,
      followingId,
      seq: this.ids.id('follow', row, follows.since[row]!),
      since: new Date(follows.since[row]! * 1000),
    };
  }

  /** Returns none for a deleted account. */
  tagFollows(user: number): TagFollow[] {
    const { people, request } = this.plan;
    if (people.deletedAt[user] !== 0) return [];
    const random = this.random.reseed(request.seed, STREAMS.tagFollows, user);
    const tags = new Set<string>(user < DEMO_ACCOUNTS.length ? [EXAMPLE.tag] : []);
    while (tags.size < FOLLOWED_TAGS) tags.add(random.pick(TAGS));
    const userId = this.people.id(user);
    return [...tags].map((tag, at) => {
      const seq = this.ids.id('tagFollow', user * FOLLOWED_TAGS + at, people.createdAt[user]!);
      return { _id: tagFollowId(userId, tag), userId, tag, seq };
    });
  }

  interaction(row: number): InteractionDocument {
    const { interactions } = this.plan;
    const number = interactions.kind[row]!;
    const userId = this.people.id(interactions.user[row]!);
    const isOnComment = isCommentVote(number);
    const target = interactions.target[row]!;
    const targetId = isOnComment ? this.comments.id(target) : this.posts.id(target);
    const kind = number === INTERACTIONS.save ? 'save' : 'vote';
    const at = new Date(interactions.createdAt[row]! * 1000);
    return {
      _id: interactionId(userId, kind, targetId),
      userId,
      targetModel: isOnComment ? 'Comment' : 'Post',
      targetId,
      kind,
      value: kind === 'save' ? null : isLike(number) ? 'like' : 'dislike',
      seq: this.ids.id('interaction', row, interactions.createdAt[row]!),
      createdAt: at,
      updatedAt: at,
    };
  }
}

const isLike = (kind: number) => kind === INTERACTIONS.postLike || kind === INTERACTIONS.commentLike;
