import { Injectable } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import { ActivityService } from '../activity/activity.service.js';
import { BlockLookupService } from '../blocks/block-lookup.service.js';
import { toRemoval } from '../moderation/removal.dto.js';
import type { IsDisconnected } from '../common/client-disconnected.js';
import { ResponseCache } from '../platform/cache/response-cache.js';
import { HostWriter, type Submit } from '../platform/cluster/writer/host-writer.js';
import { byIds, statsStatements } from '../platform/mongo/update-statements.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { PostsService } from '../posts/posts.service.js';
import type { Verdict } from '../rules/verdict.js';
import { isLimited } from '../users/standing.js';
import { UsersService } from '../users/users.service.js';
import { type Comment, CommentSchema } from './comment.schema.js';
import { type CommentItem, type CommentPlan, type CurrentState, planComments } from './comment-plan.js';
import { CommentChecksService } from './comment-checks.service.js';
import { CommentRemovalsService } from './comment-removals.service.js';
import {
  type CommentJson,
  factsOf,
  locationOf,
  tagOfAuthor,
  tagsOf,
  tagsOfChanged,
  tagsOfShown,
  toComment,
} from './comment-view.js';
import { excludeHiddenTrees } from './visibility.js';
import type { IdempotencyKey } from '../platform/mongo/transaction-rows.js';

/** The JSON form of an item in messages to the writer process. */
export type SubmittedComment = {
  authorId: string;
  postId: string;
  parentId: string | null;
  content: string;
  /** ids of the mentioned accounts */
  mentions: string[];
  /** absent if no rule matches */
  verdict?: Verdict | undefined;
  /** stores the response under this key in the transaction of the comment */
  key?: IdempotencyKey | undefined;
};

type Parent = Pick<Comment, '_id' | 'postId' | 'authorId' | 'ancestors' | 'deletedAt' | 'isVisible'>;

const LARGEST_BATCH = 200;

/** Commits the new comments of this host in groups: rows, reply counts and post counters in one transaction. */
@Injectable()
export class CommentWriterService {
  private readonly enqueue: Submit<SubmittedComment, CommentJson>;
  private readonly comments: Collection<Comment>;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly users: UsersService,
    private readonly activity: ActivityService,
    private readonly blocks: BlockLookupService,
    private readonly checks: CommentChecksService,
    private readonly removals: CommentRemovalsService,
    private readonly cache: ResponseCache,
    writer: HostWriter,
  ) {
    this.comments = mongo.collection(CommentSchema);
    this.enqueue = writer.group({
      name: 'comments',
      maxBatch: LARGEST_BATCH,
      commit: (items) => this.commit(items),
    });
  }

  async submit(item: SubmittedComment, isDisconnected?: IsDisconnected): Promise<CommentJson> {
    const comment = await this.enqueue(item, isDisconnected);
    // Invalidates before responding, because another process may have committed.
    this.cache.invalidateLocally([...tagsOf([comment]), tagOfAuthor(comment.author!.username)]);
    return comment;
  }

  private commit(submitted: SubmittedComment[]): Promise<(CommentJson | Error)[]> {
    const items = submitted.map(decodeItem);
    return this.mongo.transaction(async (tx) => {
      const state = await this.read(items, tx);
      const plan = planComments(items, state, new Date());
      const held = new Set(plan.results.filter((_, index) => submitted[index]!.verdict?.isHeld));
      await this.write(plan, held, tx);
      const results = plan.results.map((result) => (result instanceof Error ? result : toComment(result)));
      for (const [index, { verdict }] of submitted.entries()) {
        const row = plan.results[index]!;
        if (verdict === undefined || row instanceof Error) continue;
        const removal = await this.checks.apply(verdict, row, tx);
        if (removal === null) continue;
        await this.removals.moderate(row._id, { ...removal, isUnannounced: true }, tx);
        results[index] = { ...toComment(row), removal: toRemoval(removal) };
      }
      for (const [index, { key }] of submitted.entries()) {
        const result = results[index]!;
        if (result instanceof Error) continue;
        const headers = { location: locationOf(result) };
        tx.storeResponse(key, { status: 201, headers, body: result });
      }
      return results;
    });
  }

  private async read(items: CommentItem[], tx: Transaction): Promise<CurrentState> {
    const unique = (ids: (ObjectId | null)[]): ObjectId[] => [
      ...new Map(ids.flatMap((id) => (id === null ? [] : [[id.toHexString(), id] as const]))).values(),
    ];
    const parentIds = unique(items.map(({ parentId }) => parentId));
    const postIds = unique(items.map(({ postId }) => postId));
    const authorIds = unique(items.map(({ authorId }) => authorId));
    const projection = { postId: 1, authorId: 1, ancestors: 1, deletedAt: 1, isVisible: 1 };
    const [posts, authors, parents] = await Promise.all([
      this.posts.findTargets(postIds, tx),
      this.users.findParts(authorIds, ['username', 'fullName', 'profilePicture', 'lastBlockId', 'standing'], tx),
      parentIds.length === 0 ? [] : tx.find<Parent>(this.comments, byIds(parentIds), projection, parentIds.length),
    ]);
    const shown = await excludeHiddenTrees(parents, tx);
    const byId = new Map(shown.map((parent) => [parent._id.toHexString(), parent]));
    const marked = new Set(authors.flatMap((row) => (row.lastBlockId === undefined ? [] : [row._id.toHexString()])));
    const pairs = items
      .filter(({ authorId }) => marked.has(authorId.toHexString()))
      .flatMap(({ authorId, postId, parentId }) =>
        [posts.get(postId.toHexString()), byId.get(parentId?.toHexString() ?? '')].flatMap((reached) =>
          reached === undefined ? [] : [[authorId, reached.authorId] as const],
        ),
      );
    return {
      posts,
      blocked: await this.blocks.among(pairs, tx),
      parents: byId,
      authors: new Map(
        authors.map(({ _id, username, fullName, profilePicture, standing }) => [
          _id.toHexString(),
          { snapshot: { username, fullName, profilePicture }, isLimited: isLimited(standing) },
        ]),
      ),
    };
  }

  /** @param held comments without notifications */
  private async write(
    { inserts, replies, postStats }: CommentPlan,
    held: ReadonlySet<Comment | Error>,
    tx: Transaction,
  ): Promise<void> {
    if (inserts.length === 0) return;
    tx.invalidate([...tagsOfShown(inserts), ...tagsOfChanged(inserts.map(({ _id }) => _id))]);
    const repliesCounts = new Map([...replies].map(([hex, repliesCount]) => [hex, { repliesCount }]));
    await Promise.all([
      // This update conflicts with a deletion of the post or of the parent.
      this.posts.applyStats(postStats, tx),
      tx.update(this.comments, statsStatements(repliesCounts, ['repliesCount'])),
      tx.insert(this.comments, inserts),
      this.activity.add(tx, inserts.filter((row) => !held.has(row)).flatMap(factsOf)),
    ]);
  }
}

function decodeItem({ authorId, postId, parentId, content, mentions }: SubmittedComment): CommentItem {
  return {
    authorId: ObjectId.createFromHexString(authorId),
    postId: ObjectId.createFromHexString(postId),
    parentId: parentId === null ? null : ObjectId.createFromHexString(parentId),
    content,
    mentions: mentions.map((id) => ObjectId.createFromHexString(id)),
  };
}
