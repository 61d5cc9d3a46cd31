/** The number of pages of rows that one filtered page reads at most. A page that reaches it may be short, and has a cursor. */
const MAX_PAGES = 5;

/**
 * The content that lists omit for one viewer: posts that the viewer hides, and content of accounts that the viewer blocks or mutes, or
 * that block the viewer. Lists include the viewer's own content.
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

  /** The number of rows that a page may read, for `fullPage`. */
  maxRows(limit: number): number {
    return this === NO_FILTER ? Infinity : MAX_PAGES * (limit + 1);
  }
}

/** The filter of visitors and of nearly all accounts. */
export const NO_FILTER = new ListFilter('', new Map(), new Set());
