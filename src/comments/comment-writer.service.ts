import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { ClientSession, Collection, ObjectId } from 'mongodb';
import type { IsGone } from '../common/client-gone.js';
import { GroupCommit } from '../common/group-commit.js';
import { HostTurns } from '../platform/cluster/host-turns.js';
import { byIds, statsStatements } from '../platform/mongo/batch-commands.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { PostsService } from '../posts/posts.service.js';
import { UsersService } from '../users/users.service.js';
import { type CommentItem, type CommentPlan, type CommentWorld, planComments } from './comment-plan.js';
import { type CommentRow, COMMENTS } from './comment.schema.js';
import { type CommentJson, toComment } from './comment-view.js';

type OnCommit = {
  /** joins the transaction: what it writes commits with the comment or not at all; may run again after a conflict */
  onCommit?: (session: ClientSession, comment: CommentJson) => Promise<void>;
};

export type CreateOptions = OnCommit & { isGone: IsGone };

type Parent = Pick<CommentRow, '_id' | 'postId' | 'ancestors' | 'deletedAt' | 'isVisible'>;

const LARGEST_BATCH = 200;

/** New comments of this process, committed in groups: rows, replies and the posts' counters in one transaction. */
@Injectable()
export class CommentWriter implements BeforeApplicationShutdown {
  readonly group: GroupCommit<CommentItem & OnCommit, CommentJson>;
  private readonly comments: Collection<CommentRow>;

  constructor(
    private readonly mongo: MongoService,
    private readonly posts: PostsService,
    private readonly users: UsersService,
    turns: HostTurns,
  ) {
    this.comments = mongo.collection<CommentRow>(COMMENTS);
    this.group = new GroupCommit({
      name: 'comments',
      turn: () => turns.take('comments', { keepsPlace: true }),
      maxBatch: LARGEST_BATCH,
      commit: (items, stillWanted) => this.commit(items, stillWanted),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.group.close();
  }

  private commit(
    items: (CommentItem & OnCommit)[],
    stillWanted: () => Promise<void>,
  ): Promise<(CommentJson | Error)[]> {
    return this.mongo.transaction(async (session) => {
      const world = await this.read(items, session);
      await stillWanted();
      const plan = planComments(items, world, new Date());
      await this.write(plan, session);
      const answers = plan.results.map((result) => (result instanceof Error ? result : toComment(result)));
      for (const [index, { onCommit }] of items.entries()) {
        const answer = answers[index]!;
        if (onCommit !== undefined && !(answer instanceof Error)) await onCommit(session, answer);
      }
      return answers;
    });
  }

  private async read(items: CommentItem[], session: ClientSession): Promise<CommentWorld> {
    const unique = (ids: (ObjectId | null)[]): ObjectId[] => [
      ...new Map(ids.flatMap((id) => (id === null ? [] : [[id.toHexString(), id] as const]))).values(),
    ];
    const parentIds = unique(items.map(({ parentId }) => parentId));
    const postIds = unique(items.map(({ postId }) => postId));
    const authorIds = unique(items.map(({ authorId }) => authorId));
    const projection = { postId: 1, ancestors: 1, deletedAt: 1, isVisible: 1 };
    const [posts, authors, parents] = await Promise.all([
      this.posts.findTargets(postIds, session),
      this.users.findParts(authorIds, ['username', 'fullName', 'profilePicture'], session),
      parentIds.length === 0
        ? []
        : this.mongo.batch.find<Parent>(this.comments, byIds(parentIds), projection, parentIds.length, session),
    ]);
    return {
      posts,
      parents: new Map(parents.map((parent) => [parent._id.toHexString(), parent])),
      authors: new Map(
        authors.map(({ _id, username, fullName, profilePicture }) => [
          _id.toHexString(),
          { username, fullName, profilePicture },
        ]),
      ),
    };
  }

  private async write({ inserts, replies, postStats }: CommentPlan, session: ClientSession): Promise<void> {
    if (inserts.length === 0) return;
    const repliesCounts = new Map([...replies].map(([hex, repliesCount]) => [hex, { repliesCount }]));
    await Promise.all([
      // also what makes a deletion of the post or of the parent conflict with this transaction
      this.posts.applyStats(postStats, session),
      this.mongo.batch.update(this.comments, statsStatements(repliesCounts, ['repliesCount']), session),
      this.mongo.batch.insert(this.comments, inserts, session),
    ]);
  }
}
