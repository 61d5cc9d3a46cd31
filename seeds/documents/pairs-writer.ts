import { pairId } from '../../src/common/pair-id.js';
import { interactionId } from '../../src/interactions/interaction-id.js';
import { INTERACTIONS, isCommentVote } from '../plan/interactions-plan.js';
import type { Plan } from '../plan/plan.js';
import type { CommentsWriter } from './comments-writer.js';
import type { FollowDocument, InteractionDocument } from './document-types.js';
import type { PeopleWriter } from './people-writer.js';
import type { PostsWriter } from './posts-writer.js';
import type { SeedIds } from './seed-ids.js';

/** Writes the rows that link two documents: follows, votes and saves. */
export class PairsWriter {
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
