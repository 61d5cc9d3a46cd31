import { Injectable } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import type { Fact } from '../activity/activity-facts.js';
import { ActivityService } from '../activity/activity.service.js';
import { BlockLookupService } from '../blocks/block-lookup.service.js';
import { CollectionsService } from '../collections/collections.service.js';
import { CommentsService } from '../comments/comments.service.js';
import { HostWriter, type Submit } from '../platform/cluster/writer/host-writer.js';
import { byIds, type UpdateStatement } from '../platform/mongo/update-statements.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PostsService } from '../posts/posts.service.js';
import { ReceivedLikesService } from '../users/received-likes.service.js';
import { type Interaction, InteractionSchema } from './interaction.schema.js';
import { VOTE_VALUES } from './vote-value.js';
import { interactionId } from './interaction-id.js';
import {
  type CurrentState,
  type ExistingInteraction,
  type InteractionItem,
  type InteractionPlan,
  type InteractionResult,
  isWanted,
  planInteractions,
  reachedBy,
} from './interaction-plan.js';

const EXISTING_FIELDS = { targetModel: 1, value: 1, isVisitor: 1, createdAt: 1 } satisfies Partial<
  Record<keyof ExistingInteraction, 1>
>;

type WithHexIds<Item> = Item extends unknown
  ? Omit<Item, 'userId' | 'targetId'> & { userId: string; targetId: string }
  : never;

/** The JSON form of an item and of its result in messages to the writer process. */
export type SubmittedInteraction = WithHexIds<InteractionItem>;
export type InteractionResponse =
  | Exclude<InteractionResult, { kind: 'save' }>
  | (Omit<Extract<InteractionResult, { kind: 'save' }>, 'savedAt'> & { savedAt: string | null });

/** Commits the votes, saves and follows of this host in groups: rows, counters and received likes in one transaction. */
@Injectable()
export class InteractionWriterService {
  readonly submit: Submit<SubmittedInteraction, InteractionResponse>;
  private readonly rows: Collection<Interaction>;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly collections: CollectionsService,
    private readonly receivedLikes: ReceivedLikesService,
    private readonly activity: ActivityService,
    private readonly blocks: BlockLookupService,
    writer: HostWriter,
  ) {
    this.rows = mongo.collection(InteractionSchema);
    this.submit = writer.group({
      name: 'interactions',
      commit: (items) => this.commit(items.map(decodeItem)),
    });
  }

  private commit(items: InteractionItem[]): Promise<(InteractionResponse | Error)[]> {
    return this.mongo.transaction(async (tx) => {
      const state = await this.read(items, tx);
      const plan = planInteractions(items, state, new Date());
      await this.write(plan, tx);
      return plan.results.map((result) => (result instanceof Error ? result : encodeResult(result)));
    });
  }

  private async read(items: InteractionItem[], tx: Transaction): Promise<CurrentState> {
    const postIds = new Map<string, ObjectId>();
    const commentIds = new Map<string, ObjectId>();
    const collectionIds = new Map<string, ObjectId>();
    const idsOf = { Post: postIds, Comment: commentIds, Collection: collectionIds };
    const rowIds = new Map<string, Interaction['_id']>();
    for (const { userId, kind, targetModel, targetId } of items) {
      idsOf[targetModel].set(targetId.toHexString(), targetId);
      const rowId = interactionId(userId, kind, targetId);
      rowIds.set(rowId.toString('hex'), rowId);
    }
    const comments = await this.comments.findTargets([...commentIds.values()], tx);
    for (const { postId } of comments.values()) postIds.set(postId.toHexString(), postId);
    const filter = byIds([...rowIds.values()]);
    const [posts, collections, rows] = await Promise.all([
      this.posts.findTargets([...postIds.values()], tx),
      this.collections.findTargets([...collectionIds.values()], tx),
      tx.find<ExistingInteraction>(this.rows, filter, EXISTING_FIELDS, rowIds.size),
    ]);
    const targets = { posts, comments, collections };
    const pairs = items.flatMap((item) => {
      const reached = isWanted(item) || item.isToggle ? reachedBy(item, targets) : undefined;
      return reached === undefined ? [] : [[item.userId, reached] as const];
    });
    const blocked = await this.blocks.among(pairs, tx);
    return { ...targets, blocked, rows: new Map(rows.map((row) => [row._id.toString('hex'), row])) };
  }

  private async write(plan: InteractionPlan, tx: Transaction): Promise<void> {
    // Counters come first, so that two hosts that write to the same popular post conflict before they write the rows.
    await Promise.all([
      this.posts.applyStats(plan.postStats, tx),
      this.comments.applyStats(plan.commentStats, tx),
      this.collections.applyStats(plan.collectionStats, tx),
      this.receivedLikes.add(plan.likesReceived, tx),
      tx.insert(this.rows, plan.inserts),
      tx.update(this.rows, voteStatements(plan.updates)),
      tx.delete(this.rows, plan.deletes),
      this.activity.add(tx, factsOf(plan)),
    ]);
  }
}

function decodeItem(item: SubmittedInteraction): InteractionItem {
  const { userId, targetId } = item;
  return {
    ...item,
    userId: ObjectId.createFromHexString(userId),
    targetId: ObjectId.createFromHexString(targetId),
  };
}

function encodeResult(result: InteractionResult): InteractionResponse {
  return result.kind === 'save' ? { ...result, savedAt: result.savedAt?.toISOString() ?? null } : result;
}

/** Returns one statement per value and weight, because one statement for many rows costs the server less than one per row. */
function voteStatements(updates: InteractionPlan['updates']): UpdateStatement[] {
  const updatedAt = new Date();
  return VOTE_VALUES.flatMap((value) =>
    [true, undefined].flatMap((isVisitor) => {
      const ids = updates
        .filter((update) => update.value === value && update.isVisitor === isVisitor)
        .map(({ _id }) => _id);
      const weight = isVisitor
        ? { $set: { value, isVisitor, updatedAt } }
        : { $set: { value, updatedAt }, $unset: { isVisitor: '' } };
      return ids.length === 0 ? [] : [{ q: byIds(ids), u: weight, multi: true }];
    }),
  );
}

/** Returns the facts of a batch: new likes, and new follows of collections. */
function factsOf({ inserts, updates }: Pick<InteractionPlan, 'inserts' | 'updates'>): Fact[] {
  const follows = inserts.filter(({ kind }) => kind === 'follow');
  const likes = [...inserts, ...updates].filter(({ value }) => value === 'like');
  return [
    ...follows.map(({ userId: actor, targetId: target }): Fact => ({ kind: 'collection_follow', actor, target })),
    ...likes.map(({ _id: { buffer } }): Fact => {
      // The buffer contains user, kind and target (see interactionId).
      const [actor, target] = [buffer.subarray(0, 12), buffer.subarray(13, 25)].map((id) => new ObjectId(id));
      return { kind: 'like', actor: actor!, target: target! };
    }),
  ];
}
