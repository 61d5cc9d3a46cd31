import { DOCUMENT_KINDS, type DocumentKind, type Position } from './search-index.js';

export type PendingBatch = { ids: Record<DocumentKind, string[]>; position: Position | null };
type Part = { ids: Record<DocumentKind, Set<string>>; position: Position };

const TAG = /^(post|user|comment):([0-9a-f]{24})$/;
/** About 20 MB. Reading all documents costs less than finding more of them by their ids. */
const MAX_PENDING = 200_000;

/** Changes that the index does not contain yet, in at most two parts, of which the first is earlier. Repeated ids of a part count once. */
export class PendingChanges {
  private parts: Part[] = [];

  get isEmpty(): boolean {
    return this.parts.length === 0;
  }

  /**
   * Returns false if there are too many changes, which are then forgotten.
   * @param tags of responses that a commit has invalidated: one for every post, account and comment that the commit changed
   */
  add(tags: readonly string[], position: Position): boolean {
    if (this.isEmpty) this.parts.push({ ids: recordOf(() => new Set<string>()), position });
    const part = this.parts.at(-1)!;
    for (const tag of tags) {
      const [, kind, id] = TAG.exec(tag) ?? [];
      if (id !== undefined) part.ids[`${kind as 'post' | 'user' | 'comment'}s`].add(id);
    }
    part.position = position;
    const isTooMany = Object.values(part.ids).some(({ size }) => size > MAX_PENDING);
    if (isTooMany) this.parts = [];
    return !isTooMany;
  }

  /** Takes up to `count` changes, the earlier ones first. Only the last batch of a part has the position, because it then includes every earlier event. */
  take(count: number): PendingBatch {
    const [part] = this.parts as [Part];
    let rest = count;
    const ids = recordOf((kind) => {
      const taken = removeFirst(part.ids[kind], rest);
      rest -= taken.length;
      return taken;
    });
    const isAll = Object.values(part.ids).every(({ size }) => size === 0);
    if (isAll) this.parts.shift();
    return { ids, position: isAll ? part.position : null };
  }

  /** Adds changes again after a failed write. */
  restore({ ids, position }: PendingBatch): void {
    if (position !== null) this.parts.unshift({ ids: recordOf(() => new Set<string>()), position });
    const [part] = this.parts;
    // Without a part, there were too many changes.
    for (const kind of DOCUMENT_KINDS) for (const id of ids[kind]) part?.ids[kind].add(id);
  }

  /** Forgets changes that another process has written, some of them only at a later call. */
  discardUpTo(position: Position): void {
    while (this.parts.length > 0 && !isAfter(this.parts[0]!.position, position)) this.parts.shift();
    // Later changes begin a part of their own, so that the first ends at some position.
    if (this.parts.length === 1)
      this.parts.push({ ids: recordOf(() => new Set<string>()), position: this.parts[0]!.position });
  }
}

/** Whether a position is after another one. The data of resume tokens has the order of the stream. */
export function isAfter({ token }: Position, other: Position): boolean {
  return dataOf(token) > dataOf(other.token);
}

function dataOf(token: unknown): string {
  return (token as { _data?: string } | null)?._data ?? '';
}

function recordOf<T>(make: (kind: DocumentKind) => T): Record<DocumentKind, T> {
  return { posts: make('posts'), users: make('users'), comments: make('comments') };
}

function removeFirst(ids: Set<string>, count: number): string[] {
  const taken = [...ids].slice(0, count);
  for (const id of taken) ids.delete(id);
  return taken;
}
