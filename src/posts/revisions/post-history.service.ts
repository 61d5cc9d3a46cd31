import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../../common/errors.js';
import { hasRole, type Viewer } from '../../platform/access/viewer.js';
import type { Page } from '../../platform/http/pagination/page.js';
import type { PageQuery } from '../../platform/http/pagination/page.query.js';
import { findOne } from '../../platform/mongo/lean-reads.js';
import type { PostRow } from '../post-row.js';
import type { PostType } from '../post-types.js';
import { POST_MODEL } from '../post.schema.js';
import type { Post } from '../post-view.js';
import { PostWritesService } from '../post-writes.service.js';
import { requireVisible, VISIBILITY_FIELDS } from '../visibility.js';
import type { RevisionCardDto, RevisionDto } from './revision.dto.js';
import { RevisionStore } from './revision-store.service.js';

/** Earlier versions of posts: for their author and moderators, and for all who may read the post where its author lets them. */
@Injectable()
export class PostHistory {
  constructor(
    private readonly revisions: RevisionStore,
    private readonly writes: PostWritesService,
    @InjectModel(POST_MODEL) private readonly posts: Model<PostRow>,
  ) {}

  /** @throws CodedError `post_not_found`, `forbidden` */
  async list(postId: ObjectId, viewer: Viewer | null, query: PageQuery): Promise<Page<RevisionCardDto>> {
    await this.requireReadable(postId, viewer);
    return this.revisions.list(postId, query);
  }

  /** @throws CodedError `post_not_found`, `forbidden`, `revision_not_found` */
  async get(postId: ObjectId, version: number, viewer: Viewer | null): Promise<RevisionDto> {
    await this.requireReadable(postId, viewer);
    return this.revisions.get(postId, version);
  }

  /**
   * Makes an earlier text the present one, as an edit: what it replaces is kept, too.
   * @throws CodedError `post_not_found`, `forbidden`, `revision_not_found`, `precondition_failed`
   */
  async revert(postId: ObjectId, version: number, viewer: Viewer, ifMatch?: string): Promise<Post> {
    const { title, type, tags, thumbnailUrl, content } = await this.get(postId, version, viewer);
    // posts always have a type
    const text = { title, type: type as PostType, tags, thumbnailUrl, content };
    return this.writes.edit(postId, viewer, text, { ifMatch });
  }

  private async requireReadable(postId: ObjectId, viewer: Viewer | null): Promise<void> {
    const fields = { ...VISIBILITY_FIELDS, isHistoryPublic: 1 } as const;
    const post = requireVisible((await findOne(this.posts, { _id: postId }, fields)) ?? undefined, viewer);
    const isOwn = viewer !== null && post.authorId.equals(viewer.id);
    if (isOwn || post.isHistoryPublic === true || (viewer !== null && hasRole(viewer, 'moderator'))) return;
    throw new CodedError('forbidden', 'The author does not show earlier versions of this post.');
  }
}
