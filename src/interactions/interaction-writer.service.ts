import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { AnyBulkWriteOperation, ClientSession, Collection, ObjectId } from 'mongodb';
import { interactionId } from '../common/binary-ids.js';
import { GroupCommit } from '../common/group-commit.js';
import { CommentsService } from '../comments/comments.service.js';
import { HostTurns } from '../platform/cluster/host-turns.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PostsService } from '../posts/posts.service.js';
import { UsersService } from '../users/users.service.js';
import {
  type InteractionItem,
  type InteractionPlan,
  type InteractionResult,
  type InteractionWorld,
  planInteractions,
} from './interaction-plan.js';
import { type InteractionRow, INTERACTIONS, VOTE_VALUES } from './interaction.schema.js';

/** Votes and saves of this process, committed in groups: rows, counters and likes received in one transaction. */
@Injectable()
export class InteractionWriter implements BeforeApplicationShutdown {
  readonly group: GroupCommit<InteractionItem, InteractionResult>;
  private readonly rows: Collection<InteractionRow>;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly comments: CommentsService,
    private readonly users: UsersService,
    turns: HostTurns,
  ) {
    this.rows = mongo.collection<InteractionRow>(INTERACTIONS);
    this.group = new GroupCommit({
      name: 'interactions',
      turn: () => turns.take('interactions'),
      commit: (items) => this.commit(items),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.group.close();
  }

  private commit(items: InteractionItem[]): Promise<(InteractionResult | Error)[]> {
    return this.mongo.transaction(async (session) => {
      const plan = planInteractions(items, await this.read(items, session), new Date());
      await this.write(plan, session);
      return plan.results;
    });
  }

  private async read(items: InteractionItem[], session: ClientSession): Promise<InteractionWorld> {
    const postIds = new Map<string, ObjectId>();
    const commentIds = new Map<string, ObjectId>();
    const rowIds = new Map<string, InteractionRow['_id']>();
    for (const { userId, kind, targetModel, targetId } of items) {
      (targetModel === 'Post' ? postIds : commentIds).set(targetId.toHexString(), targetId);
      const rowId = interactionId(userId, kind, targetId);
      rowIds.set(rowId.toString('hex'), rowId);
    }
    // one after the other: a transaction's operations cannot run side by side
    const comments = await this.comments.findTargets([...commentIds.values()], session);
    for (const { postId } of comments.values()) postIds.set(postId.toHexString(), postId);
    const posts = await this.posts.findTargets([...postIds.values()], session);
    const rows = await this.rows.find({ _id: { $in: [...rowIds.values()] } }, { session }).toArray();
    return { posts, comments, rows: new Map(rows.map((row) => [row._id.toString('hex'), row])) };
  }

  private async write(plan: InteractionPlan, session: ClientSession): Promise<void> {
    const operations = rowOperations(plan);
    if (operations.length === 0) return;
    // counters first: two workers on one hot post find out that they collide before they have written the rows
    await this.posts.applyStats(plan.postStats, session);
    await this.comments.applyStats(plan.commentStats, session);
    await this.users.applyStats(plan.userStats, session);
    await this.rows.bulkWrite(operations, { session, ordered: false });
  }
}

/** At most one statement per kind of change: a statement for many rows costs the server less than one for each. */
function rowOperations({ inserts, updates, deletes }: InteractionPlan): AnyBulkWriteOperation<InteractionRow>[] {
  const operations: AnyBulkWriteOperation<InteractionRow>[] = inserts.map((document) => ({ insertOne: { document } }));
  const updatedAt = new Date();
  for (const value of VOTE_VALUES) {
    const ids = updates.filter((update) => update.value === value).map(({ _id }) => _id);
    if (ids.length > 0)
      operations.push({ updateMany: { filter: { _id: { $in: ids } }, update: { $set: { value, updatedAt } } } });
  }
  if (deletes.length > 0) operations.push({ deleteMany: { filter: { _id: { $in: deletes } } } });
  return operations;
}
