import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { InteractionsService } from '../interactions/interactions.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { allFields, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PostsService } from '../posts/posts.service.js';
import { RelatedPostsService } from '../search/related-posts.service.js';
import { Exported } from '../users/exported.decorator.js';
import { UsersService } from '../users/users.service.js';
import { Affinities, AffinitiesSchema, MAX_AFFINITIES, MAX_FEEDBACK, MAX_RELATED } from './affinities.schema.js';
import type { FeedbackDto } from './dto/for-you.dto.js';
import type { FeedbackKind } from './feedback-kinds.js';

const MAX_AGE_MS = 600_000;
const READ_OF_EACH = 100;
const RELATED_TO = 5;
const FIELDS = allFields(AffinitiesSchema);
const WEIGHTS = { liked: 1, saved: 2, more: 4, less: -4 } as const;

type Signal = { kind: keyof typeof WEIGHTS; postId: string };
type LikedPost = { id: string; tags: string[]; author: { id: string } };

/** The affinities of accounts. They are computed when an account reads its feed, at most every ten minutes. */
@Injectable()
export class AffinitiesService {
  constructor(
    private readonly mongo: MongoService,
    private readonly users: UsersService,
    private readonly posts: PostsService,
    private readonly interactions: InteractionsService,
    private readonly similar: RelatedPostsService,
    @InjectModel(Affinities.name) private readonly rows: Model<Affinities>,
  ) {}

  /** @param row the stored one, if there is one */
  async refresh(userId: ObjectId, row: Affinities | undefined): Promise<Affinities> {
    const isFresh = row !== undefined && Date.now() - row.at.getTime() < MAX_AGE_MS;
    return isFresh ? row : this.compute(userId, row?.feedback ?? []);
  }

  /**
   * Replaces earlier feedback on the post. The next first page of the feed contains its effect.
   * @throws CodedError `post_not_found`, `not_personalised`
   */
  async giveFeedback(viewer: Viewer, postId: ObjectId, kind: FeedbackKind): Promise<FeedbackDto> {
    const { _id } = viewer;
    await this.posts.getReadable(postId, viewer);
    await this.mongo.serializedTransaction(viewer.id, async (tx) => {
      const { session } = tx;
      if (!(await this.users.isPersonalised(_id, tx))) throw notPersonalised();
      await this.rows.updateOne({ _id }, { $pull: { feedback: { postId } } }, { session });
      const update = {
        $push: { feedback: { $each: [{ postId, kind }], $slice: -MAX_FEEDBACK } },
        $set: { at: new Date(Date.now() - MAX_AGE_MS) },
        $setOnInsert: { tags: [], authors: [], related: [] },
      };
      await this.rows.updateOne({ _id }, update, { session, upsert: true });
    });
    return { postId: postId.toHexString(), kind };
  }

  @Exported('for-you.json')
  async export(userId: ObjectId): Promise<object> {
    return (await findOne(this.rows, { _id: userId }, FIELDS)) ?? {};
  }

  async delete(userId: ObjectId, tx: Transaction): Promise<void> {
    await this.rows.deleteOne({ _id: userId }, { session: tx.session });
  }

  /** Weighs authors and tags of the latest posts, and forgets feedback on posts that readers can no longer find. */
  private async compute(_id: ObjectId, feedback: Affinities['feedback']): Promise<Affinities> {
    const at = new Date();
    const [liked, saved] = await Promise.all([
      this.interactions.latestPosts(_id, 'liked', READ_OF_EACH),
      this.interactions.latestPosts(_id, 'saved', READ_OF_EACH),
    ]);
    const signals: Signal[] = [
      ...liked.map((id) => ({ kind: 'liked', postId: id.toHexString() }) as const),
      ...saved.map((id) => ({ kind: 'saved', postId: id.toHexString() }) as const),
      ...feedback.map(({ kind, postId }) => ({ kind, postId: postId.toHexString() })),
    ];
    const ids = [...new Set(signals.map(({ postId }) => postId))].map((id) => ObjectId.createFromHexString(id));
    const posts: ReadonlyMap<string, LikedPost> = await this.posts.findSummaries(ids, null);
    const lastLiked = liked.slice(0, RELATED_TO).flatMap((id) => posts.get(id.toHexString()) ?? []);
    const computed = { ...weightsOf(signals, posts), related: await this.relatedTo(lastLiked), at };
    const gone = feedback.filter(({ postId }) => !posts.has(postId.toHexString())).map(({ postId }) => postId);
    const forget = { $pull: { feedback: { postId: { $in: gone } } } };
    const update = gone.length > 0 ? forget : { $setOnInsert: { feedback: [] } };
    await this.rows.updateOne({ _id }, { $set: computed, ...update }, { upsert: gone.length === 0 });
    return { _id, ...computed, feedback };
  }

  /** Returns none of a post for which the index is too slow. */
  private async relatedTo(liked: readonly LikedPost[]): Promise<ObjectId[]> {
    const found = await Promise.all(
      liked.map(async ({ id, author, tags }) => {
        const [_id, authorId] = [id, author.id].map((hex) => ObjectId.createFromHexString(hex)) as [ObjectId, ObjectId];
        const candidates = await this.similar.findCandidates({ _id, authorId, tags }).catch((error: unknown) => {
          if (error instanceof CodedError) return [];
          throw error;
        });
        const best = candidates.sort((a, b) => b.score - a.score).slice(0, MAX_RELATED / RELATED_TO);
        return best.map((post) => post.id);
      }),
    );
    return [...new Set(found.flat())].map((id) => ObjectId.createFromHexString(id));
  }
}

function weightsOf(
  signals: readonly Signal[],
  posts: ReadonlyMap<string, LikedPost>,
): Pick<Affinities, 'tags' | 'authors'> {
  const [byTag, byAuthor] = [new Map<string, number>(), new Map<string, number>()];
  for (const { kind, postId } of signals) {
    const post = posts.get(postId);
    if (post === undefined) continue;
    const add = (weights: Map<string, number>, key: string): unknown =>
      weights.set(key, (weights.get(key) ?? 0) + WEIGHTS[kind]);
    add(byAuthor, post.author.id);
    for (const tag of post.tags) add(byTag, tag);
  }
  return {
    tags: largest(byTag).map(([tag, weight]) => ({ tag, weight })),
    authors: largest(byAuthor).map(([id, weight]) => ({ id: ObjectId.createFromHexString(id), weight })),
  };
}

function largest(weights: ReadonlyMap<string, number>): [string, number][] {
  return [...weights].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a)).slice(0, MAX_AFFINITIES);
}

function notPersonalised(): CodedError {
  return new CodedError(
    'not_personalised',
    'Your feed is not personal. Switch `personalised` on in your settings first.',
  );
}
