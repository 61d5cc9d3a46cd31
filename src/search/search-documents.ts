import { Injectable } from '@nestjs/common';
import { IndexableCommentsService } from '../comments/indexable-comments.service.js';
import { AppConfig } from '../config/app-config.js';
import { IndexablePostsService } from '../posts/indexable-posts.service.js';
import { UserNamesService } from '../users/user-names.service.js';
import type { Changes, DocumentKind, ScanStep, Walk } from './search-index.js';

/** Reads the documents for the index from the database. Has no comments unless SEARCH_COMMENTS is on. */
@Injectable()
export class SearchDocuments {
  private readonly hasComments: boolean;

  constructor(
    private readonly posts: IndexablePostsService,
    private readonly users: UserNamesService,
    private readonly comments: IndexableCommentsService,
    config: AppConfig,
  ) {
    this.hasComments = config.search.hasComments;
  }

  async find(ids: Record<DocumentKind, string[]>): Promise<Changes> {
    const [posts, users, comments] = await Promise.all([
      ids.posts.length === 0 ? [] : this.posts.find(ids.posts),
      ids.users.length === 0 ? [] : this.users.find(ids.users),
      ids.comments.length === 0 || !this.hasComments ? [] : this.comments.find(ids.comments),
    ]);
    return {
      posts: { ids: ids.posts, documents: posts },
      users: { ids: ids.users, documents: users },
      comments: { ids: ids.comments, documents: comments },
    };
  }

  /** Returns the next step of a scan. Reads current rows, so that no earlier event is missed. */
  async next({ kind, after }: Walk, count: number): Promise<ScanStep> {
    if (kind === 'posts') {
      const { texts: documents, lastId: upTo } = await this.posts.after(after, count);
      return { kind, after, upTo, documents };
    }
    if (kind === 'comments') {
      if (!this.hasComments) return { kind, after, upTo: null, documents: [] };
      const { texts: documents, lastId: upTo } = await this.comments.after(after, count);
      return { kind, after, upTo, documents };
    }
    const { names: documents, lastId: upTo } = await this.users.after(after, count);
    return { kind, after, upTo, documents };
  }

  /** Returns an estimate that includes hidden posts, deleted accounts and comments. */
  async count(): Promise<number> {
    const rooms = [this.posts, this.users, ...(this.hasComments ? [this.comments] : [])];
    const counts = await Promise.all(rooms.map((room) => room.count()));
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
