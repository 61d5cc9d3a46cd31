import type { Position } from './search-index.js';

export type PendingBatch = { posts: string[]; users: string[]; position: Position | null };

const TAG = /^(post|user):([0-9a-f]{24})$/;

/** Changes that the index does not contain yet. Repeated ids count once. */
export class PendingChanges {
  private posts = new Set<string>();
  private users = new Set<string>();
  private position: Position | null = null;

  get isEmpty(): boolean {
    return this.position === null;
  }

  /** @param tags of responses that a commit has invalidated: one for every post and account that the commit changed */
  add(tags: readonly string[], position: Position): void {
    for (const tag of tags) {
      const [, kind, id] = TAG.exec(tag) ?? [];
      if (id !== undefined) (kind === 'post' ? this.posts : this.users).add(id);
    }
    this.position = position;
  }

  /** Takes up to `count` changes. Only the last part has the position, because it then includes every earlier event. */
  take(count: number): PendingBatch {
    const posts = removeFirst(this.posts, count);
    const users = removeFirst(this.users, count - posts.length);
    const isAll = this.posts.size + this.users.size === 0;
    const position = isAll ? this.position : null;
    if (isAll) this.position = null;
    return { posts, users, position };
  }

  /** Adds changes again after a failed write. */
  restore({ posts, users, position }: PendingBatch): void {
    for (const id of posts) this.posts.add(id);
    for (const id of users) this.users.add(id);
    this.position ??= position;
  }
}

function removeFirst(ids: Set<string>, count: number): string[] {
  const taken = [...ids].slice(0, count);
  for (const id of taken) ids.delete(id);
  return taken;
}
