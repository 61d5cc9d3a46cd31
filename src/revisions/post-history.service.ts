import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { storedUrl } from '../common/own-files.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import { CpuPool } from '../platform/cpu-pool/cpu-pool.js';
import { type CpuTask, TaskLimitExceeded } from '../platform/cpu-pool/cpu-task.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { PostType } from '../posts/post-types.js';
import { type PostJson, POST_RESOURCE } from '../posts/post-view.js';
import { PostsService } from '../posts/posts.service.js';
import { PostWritesService } from '../posts/post-writes.service.js';
import { labelsOf } from '../posts/stored-labels.js';
import type { DiffDto, DiffHunkDto, RevisionCardDto, RevisionDto } from './revision.dto.js';
import { RevisionStoreService, type RevisionScope } from './revision-store.service.js';

const DIFF: CpuTask<typeof import('./diff.task.js').run> = {
  name: 'posts: diff',
  module: new URL('./diff.task.js', import.meta.url),
  limitMs: 1_000,
};

/**
 * Earlier versions of posts. The author and moderators may read all versions, and other readers of the post only public versions, if the
 * author allows it.
 */
@Injectable()
export class PostHistoryService {
  constructor(
    private readonly revisions: RevisionStoreService,
    private readonly reads: PostsService,
    private readonly writes: PostWritesService,
    private readonly pool: CpuPool,
  ) {}

  /** @throws CodedError `post_not_found`, `forbidden` */
  async list(postId: ObjectId, viewer: Viewer | null, query: PageQuery): Promise<Page<RevisionCardDto>> {
    const { readable } = await this.requireReadable(postId, viewer);
    return this.revisions.list(postId, query, readable);
  }

  /** @throws CodedError `post_not_found`, `forbidden`, `revision_not_found` */
  async get(postId: ObjectId, version: number, viewer: Viewer | null): Promise<RevisionDto> {
    const { readable } = await this.requireReadable(postId, viewer);
    return this.revisions.get(postId, version, readable);
  }

  /** Deletes a version, for the author only. @throws CodedError `post_not_found`, `forbidden`, `revision_not_found` */
  async delete(postId: ObjectId, version: number, viewer: Viewer): Promise<void> {
    const { authorId } = await this.reads.getVisible(postId, viewer);
    if (!authorId.equals(viewer._id))
      throw new CodedError('forbidden', 'Only the author can delete a version of this post.');
    await this.revisions.delete(postId, version);
  }

  /**
   * Compares two versions line by line, in the CPU pool. Texts that time out are shown as replaced.
   * @param against the current version by default
   * @throws CodedError `post_not_found`, `forbidden`, `revision_not_found`, `overloaded`
   */
  async diff(postId: ObjectId, version: number, against: number | undefined, viewer: Viewer | null): Promise<DiffDto> {
    const { present, readable } = await this.requireReadable(postId, viewer);
    const textOf = async (of: number): Promise<string> =>
      (of === present ? await this.reads.get(postId, viewer) : await this.revisions.get(postId, of, readable)).content;
    const to = against ?? present;
    const [from, other] = await Promise.all([textOf(version), textOf(to)]);
    return { from: version, to, hunks: await this.hunksOf(from, other) };
  }

  private async hunksOf(from: string, to: string): Promise<DiffHunkDto[]> {
    try {
      return await this.pool.run(DIFF, { from, to }, null);
    } catch (error) {
      if (error instanceof TaskLimitExceeded) return [replaced(linesOf(from), linesOf(to))];
      throw error;
    }
  }

  /**
   * Restores an earlier text as an edit. The replaced text is stored as a version.
   * @throws CodedError `post_not_found`, `forbidden`, `revision_not_found`, `precondition_failed`
   */
  async revert(
    postId: ObjectId,
    version: number,
    { viewer, idempotencyKey }: WriteRequest,
    ifMatch?: string,
  ): Promise<PostJson> {
    const { content, ...card } = await this.get(postId, version, viewer);
    // Posts always have a type.
    const type = card.type as PostType;
    const text = { ...labelsOf(card), type, thumbnailUrl: storedUrl(card.thumbnailUrl), content };
    const onCommit = async (tx: Transaction, body: PostJson): Promise<void> =>
      tx.storeResponse(idempotencyKey, { status: 200, headers: POST_RESOURCE.currentHeaders(body), body });
    return this.writes.edit(postId, viewer, text, { ifMatch, onCommit });
  }

  /** @returns the current version, and the scope of earlier versions that the viewer may read */
  private async requireReadable(
    postId: ObjectId,
    viewer: Viewer | null,
  ): Promise<{ present: number; readable: RevisionScope }> {
    const post = await this.reads.getVisible(postId, viewer);
    const { version: present } = post;
    if (viewer !== null && (post.authorId.equals(viewer._id) || hasRole(viewer, 'moderator')))
      return { present, readable: 'all' };
    if (post.isHistoryPublic) return { present, readable: 'public' };
    throw new CodedError('forbidden', 'The history of this post is not public.');
  }
}

/** A final line break does not start another line. */
function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

function replaced(before: string[], after: string[]): DiffHunkDto {
  const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  return { oldStart: 1, oldLines: before.length, newStart: 1, newLines: after.length, lines };
}
