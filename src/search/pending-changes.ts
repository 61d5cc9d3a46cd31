import { DOCUMENT_KINDS, type DocumentKind, type Position } from './search-index.js';

export type PendingBatch = { ids: Record<DocumentKind, string[]>; position: Position | null };

const TAG = /^(post|user|comment):([0-9a-f]{24})$/;

/** Changes that the index does not contain yet. Repeated ids count once. */
export class PendingChanges {
  private readonly changed = recordOf(() => new Set<string>());
  private position: Position | null = null;

  get isEmpty(): boolean {
    return this.position === null;
  }

  /** @param tags of responses that a commit has invalidated: one for every post, account and comment that the commit changed */
  add(tags: readonly string[], position: Position): void {
    for (const tag of tags) {
      const [, kind, id] = TAG.exec(tag) ?? [];
      if (id !== undefined) this.changed[`${kind as 'post' | 'user' | 'comment'}s`].add(id);
    }
    this.position = position;
  }

  /** Takes up to `count` changes. Only the last part has the position, because it then includes every earlier event. */
  take(count: number): PendingBatch {
    let rest = count;
    const ids = recordOf((kind) => {
      const taken = removeFirst(this.changed[kind], rest);
      rest -= taken.length;
      return taken;
    });
    const isAll = Object.values(this.changed).every(({ size }) => size === 0);
    const position = isAll ? this.position : null;
    if (isAll) this.position = null;
    return { ids, position };
  }

  /** Adds changes again after a failed write. */
  restore({ ids, position }: PendingBatch): void {
    for (const kind of DOCUMENT_KINDS) for (const id of ids[kind]) this.changed[kind].add(id);
    this.position ??= position;
  }
}

function recordOf<T>(make: (kind: DocumentKind) => T): Record<DocumentKind, T> {
  return { posts: make('posts'), users: make('users'), comments: make('comments') };
}

function removeFirst(ids: Set<string>, count: number): string[] {
  const taken = [...ids].slice(0, count);
  for (const id of taken) ids.delete(id);
  return taken;
}
