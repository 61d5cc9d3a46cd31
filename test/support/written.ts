import { ObjectId } from 'mongodb';
import { CommentsService } from '../../src/comments/comments.service.js';
import type { CommentJson } from '../../src/comments/comment-view.js';
import { PostsService } from '../../src/posts/posts.service.js';
import { PostWritesService } from '../../src/posts/post-writes.service.js';
import type { Post } from '../../src/posts/post-view.js';
import type { TestApp } from './app.js';
import type { TestPerson } from './people.js';

/** A post through the service, for specs of other rooms. */
export async function writePost(app: TestApp, author: TestPerson, isPublic = true): Promise<Post> {
  const post = await app.app.get(PostsService).create(author.viewer, {
    title: 'Notes on the Analytical Engine',
    content: 'The engine weaves algebraic patterns.',
    type: 'article',
    tags: ['engines'],
    thumbnailUrl: null,
    isPublic,
  });
  await app.heard();
  return post;
}

/** Hides or publishes a post as its author would. */
export async function publishPost(app: TestApp, author: TestPerson, postId: string, isPublic: boolean): Promise<void> {
  await app.app.get(PostWritesService).edit(ObjectId.createFromHexString(postId), author.viewer, { isPublic });
  await app.heard();
}

export async function removePost(app: TestApp, author: TestPerson, postId: string): Promise<void> {
  await app.app.get(PostWritesService).remove(ObjectId.createFromHexString(postId), author.viewer);
  await app.heard();
}

/** A comment through the service. */
export async function writeComment(
  app: TestApp,
  author: TestPerson,
  postId: string,
  parentId: string | null = null,
): Promise<CommentJson> {
  const draft = { content: 'Well said.', parentId };
  const id = ObjectId.createFromHexString(postId);
  const comment = await app.app.get(CommentsService).create(author.viewer, id, draft, { isGone: () => false });
  await app.heard();
  return comment;
}
