import { Injectable } from '@nestjs/common';
import { IndexablePostsService } from '../posts/indexable-posts.service.js';
import { UserNamesService } from '../users/user-names.service.js';
import type { Changes, ScanStep, Walk } from './search-index.js';

/** Reads the documents for the index from the database. */
@Injectable()
export class SearchDocuments {
  constructor(
    private readonly posts: IndexablePostsService,
    private readonly users: UserNamesService,
  ) {}

  async find(postIds: string[], userIds: string[]): Promise<Changes> {
    const [posts, users] = await Promise.all([
      postIds.length === 0 ? [] : this.posts.find(postIds),
      userIds.length === 0 ? [] : this.users.find(userIds),
    ]);
    return { posts: { ids: postIds, documents: posts }, users: { ids: userIds, documents: users } };
  }

  /** Returns the next step of a scan. Reads current rows, so that no earlier event is missed. */
  async next({ kind, after }: Walk, count: number): Promise<ScanStep> {
    if (kind === 'posts') {
      const { texts: documents, lastId: upTo } = await this.posts.after(after, count);
      return { kind, after, upTo, documents };
    }
    const { names: documents, lastId: upTo } = await this.users.after(after, count);
    return { kind, after, upTo, documents };
  }

  /** Returns an estimate that includes hidden posts and deleted accounts. */
  async count(): Promise<number> {
    const [posts, users] = await Promise.all([this.posts.count(), this.users.count()]);
    return posts + users;
  }
}
