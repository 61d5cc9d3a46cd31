import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import type { NumberedPage } from '../platform/http/pagination/numbered-page.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import type { PostCard } from '../posts/card/post-card.js';
import { PostListsService } from '../posts/post-lists.service.js';
import type { PostJson } from '../posts/post-view.js';
import { PostsService } from '../posts/posts.service.js';
import { MarkdownEscaper } from './markdown-escaper.js';
import type { HandlerResult } from './envelope.js';
import type { SavePostBody } from './opencanvas.dto.js';
import { toOpenCanvasCard, toOpenCanvasPost } from './opencanvas-post.js';
import { postIdIn } from './post-address.js';
import { PostIds } from './post-ids.js';

/** Maps the posts of OpenCanvas to the services of `/v1/posts`. */
@Injectable()
export class OpenCanvasPostsService {
  constructor(
    private readonly posts: PostsService,
    private readonly lists: PostListsService,
    private readonly ids: PostIds,
    private readonly escaper: MarkdownEscaper,
  ) {}

  /** Returns a public post. @throws CodedError `post_not_found` */
  async get(id: ObjectId): Promise<HandlerResult> {
    return { data: await this.toResponse(await this.posts.get(id, null)) };
  }

  /**
   * Returns a post to its author and moderators. With `postId` the client opens its editor, so the author gets the unescaped text.
   * @throws CodedError `post_not_found`, `forbidden`
   */
  async getPrivate(slug: string, postId: string | undefined, viewer: Viewer): Promise<HandlerResult> {
    const isEdit = postId !== undefined && !['', 'undefined', 'null'].includes(postId);
    const post = await this.posts.get(postIdIn(isEdit ? postId : slug), viewer);
    const isOwn = post.author.id === viewer.id;
    if (!isOwn && !hasRole(viewer, 'moderator')) throw new CodedError('forbidden', 'Not authorised to view this post');
    return { data: isOwn && isEdit ? toOpenCanvasPost(post, post.content) : await this.toResponse(post) };
  }

  async findByIds(ids: string[]): Promise<HandlerResult> {
    const data = cardsOf(await this.posts.findCards(ids.map(toObjectId), null));
    return { results: data.length, data };
  }

  async listMine(viewer: Viewer, query: NumberedPage): Promise<HandlerResult> {
    const { cards, total } = await this.lists.mineByNumber(viewer, query);
    return { data: cardsOf(cards), total };
  }

  async listByAuthor(authorId: ObjectId, query: NumberedPage): Promise<HandlerResult> {
    const { cards, total } = await this.lists.authorByNumber(authorId, query);
    return { data: cardsOf(cards), total };
  }

  createId(viewer: Viewer): HandlerResult {
    return { data: { postId: this.ids.create(viewer.id).toHexString() } };
  }

  /**
   * Edits the viewer's post with this id, or creates the post if the id was issued to the viewer.
   * @throws CodedError `forbidden` for a post of another account, `invalid_id` for an id that was not issued to the viewer
   */
  async save(write: WriteRequest, { postId, ...body }: SavePostBody): Promise<HandlerResult> {
    const id = toObjectId(postId);
    const draft = omitUndefined(body);
    const edit = async (): Promise<HandlerResult> => ({
      data: await this.toResponse(await this.posts.edit(id, write.viewer, draft)),
    });
    try {
      return await edit();
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'post_not_found') throw error;
    }
    if (!this.ids.isOf(write.viewer.id, id))
      throw new CodedError('invalid_id', 'This id was not issued to this account by /get-new-post-id.');
    try {
      return {
        status: 201,
        data: await this.toResponse(await this.posts.create(write, { type: 'written', ...draft }, { id })),
      };
    } catch (error) {
      // A concurrent save has created the post. `edit` throws `post_not_found` if the post was deleted.
      if (isDuplicateKey(error)) return edit();
      throw error;
    }
  }

  async toggleVisibility(id: ObjectId, viewer: Viewer): Promise<HandlerResult> {
    const post = await this.posts.edit(id, viewer, {}, { togglesVisibility: true });
    return { message: `Post is now ${post.isPublic ? 'public' : 'private'}`, data: await this.toResponse(post) };
  }

  async toggleFeatured(id: ObjectId, viewer: Viewer): Promise<HandlerResult> {
    const added = await this.lists.toggleFeatured(id, viewer);
    return { message: added ? 'Post added to featured' : 'Post removed from featured', added };
  }

  private async toResponse(post: PostJson): Promise<object> {
    return toOpenCanvasPost(post, await this.escaper.escape(post.content));
  }
}

export function cardsOf(cards: PostCard[]): object[] {
  return cards.map(toOpenCanvasCard);
}

export function toObjectId(id: string): ObjectId {
  return ObjectId.createFromHexString(id);
}

/** Removes absent fields, so that an edit does not overwrite the stored values. */
function omitUndefined<Body extends object>(body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Body;
}
