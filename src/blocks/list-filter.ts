/** Rows that one filtered page reads at most, in pages; it may then be short, and has a cursor. */
const MAX_PAGES = 5;

/**
 * Content that lists omit for one viewer: of accounts that the viewer blocks or has muted, of accounts that block the viewer, and hidden
 * posts. The viewer's own content stays.
 */
export class ListFilter {
  /**
   * @param accounts by hex id, each with the end of its mute (ms); Infinity without an end
   * @param posts hex ids
   */
  constructor(
    private readonly viewerId: string,
    private readonly accounts: ReadonlyMap<string, number>,
    private readonly posts: ReadonlySet<string>,
  ) {}

  hidesAccount(id: string): boolean {
    const end = this.accounts.get(id);
    return end !== undefined && end > Date.now();
  }

  hidesPost(id: string, authorId: string): boolean {
    return authorId !== this.viewerId && (this.posts.has(id) || this.hidesAccount(authorId));
  }

  /** Rows that a page may read (`fullPage`). */
  maxRows(limit: number): number {
    return this === NO_FILTER ? Infinity : MAX_PAGES * (limit + 1);
  }
}

/** Of nearly all viewers, and of visitors. */
export const NO_FILTER = new ListFilter('', new Map(), new Set());
