import type { ObjectId } from 'mongodb';
import { NO_PARENT } from '../plan/comments-plan.js';
import type { Plan } from '../plan/plan.js';
import { STREAMS } from '../plan/streams.js';
import { Random } from '../sampling/random.js';
import type { MarkdownWriter } from '../text/markdown.js';
import type { CommentDocument } from './document-types.js';
import type { PeopleWriter } from './people-writer.js';
import type { PostsWriter } from './posts-writer.js';
import type { SeedIds } from './seed-ids.js';

const LONGEST_COMMENT = 1000;

export class CommentsWriter {
  private readonly random: Random;

  constructor(
    private readonly plan: Plan,
    private readonly ids: SeedIds,
    private readonly people: PeopleWriter,
    private readonly posts: PostsWriter,
    private readonly text: MarkdownWriter,
  ) {
    this.random = new Random(plan.request.seed);
  }

  id(comment: number): ObjectId {
    return this.ids.id('comment', comment, this.plan.comments.createdAt[comment]!);
  }

  document(comment: number): CommentDocument {
    const { comments, request } = this.plan;
    const post = comments.post[comment]!;
    const author = comments.author[comment]!;
    const ancestors = this.ancestors(comment);
    const random = this.random.reseed(request.seed, STREAMS.commentText, comment);
    const content = this.text.comment(random, this.posts.subject(post), LONGEST_COMMENT);
    const editedAt = comments.editedAt[comment]!;
    const deletedAt = comments.deletedAt[comment]!;
    return {
      _id: this.id(comment),
      postId: this.posts.id(post),
      parentId: ancestors.at(-1) ?? null,
      ancestors,
      authorId: this.people.id(author),
      authorSnapshot: this.people.snapshot(author),
      // A deleted comment only has its place in the tree.
      content: deletedAt ? '' : content,
      mentions: [],
      stats: {
        likesCount: comments.likes[comment]!,
        dislikesCount: comments.dislikes[comment]!,
        repliesCount: comments.replies[comment]!,
      },
      isEdited: editedAt !== 0,
      isVisible: comments.isVisible[comment] === 1,
      createdAt: new Date(comments.createdAt[comment]! * 1000),
      updatedAt: new Date((deletedAt || editedAt || comments.createdAt[comment]!) * 1000),
      deletedAt: deletedAt ? new Date(deletedAt * 1000) : null,
    };
  }

  /** Returns the ancestors, root first. */
  private ancestors(comment: number): ObjectId[] {
    const path: ObjectId[] = [];
    let parent = this.plan.comments.parent[comment]!;
    while (parent !== NO_PARENT) {
      path.push(this.id(parent));
      parent = this.plan.comments.parent[parent]!;
    }
    return path.reverse();
  }
}
