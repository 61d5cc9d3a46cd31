import { type Filtered, PhraseMatcher } from './phrase-matcher.js';

/** The number of rows that one filtered page reads at most. A page that reaches it may be short, and has a cursor. */
export const MAX_FILTERED_ROWS = 2_000;
const NO_PHRASES = new PhraseMatcher([]);

/** The fields of a card that a filter reads. */
type FilteredCard = {
  id: string;
  title: string;
  subtitle: string | null;
  contentPreview: string;
  tags: string[];
  author: { id: string };
  filtered?: Filtered[];
};

/**
 * The content that lists omit for one viewer: posts that the viewer hides, content of accounts that the viewer blocks or mutes, or that
 * block the viewer, and texts with a phrase of the viewer. Lists include the viewer's own content.
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
    private readonly phrases = { posts: NO_PHRASES, comments: NO_PHRASES },
  ) {}

  /** Whether the texts of posts are matched. */
  get readsTexts(): boolean {
    return !this.phrases.posts.isEmpty;
  }

  /** Whether the texts of comments are matched. */
  get readsComments(): boolean {
    return !this.phrases.comments.isEmpty;
  }

  hidesAccount(id: string): boolean {
    const end = this.accounts.get(id);
    return end !== undefined && end > Date.now();
  }

  hidesPost(id: string, authorId: string): boolean {
    return authorId !== this.viewerId && (this.posts.has(id) || this.hidesAccount(authorId));
  }

  /** Returns the card with the filters that warn of it, or null if the card is hidden. */
  filterCard<Card extends FilteredCard>(card: Card): Card | null {
    const { id, title, subtitle, contentPreview, tags, author } = card;
    if (this.hidesPost(id, author.id)) return null;
    if (author.id === this.viewerId) return card;
    const found = this.phrases.posts.match(title, subtitle ?? '', contentPreview, ...tags);
    if (found === 'hidden') return null;
    return found.length === 0 ? card : { ...card, filtered: found };
  }

  /** Returns the filters that warn of the comment, or `hidden`. @param text what readers see, not the Markdown */
  filterComment(authorId: string, text: string): 'hidden' | Filtered[] {
    if (authorId === this.viewerId) return [];
    return this.hidesAccount(authorId) ? 'hidden' : this.phrases.comments.match(text);
  }

  /** The number of rows that a page may read, for `fullPage`. */
  get maxRows(): number {
    return this === NO_FILTER ? Infinity : MAX_FILTERED_ROWS;
  }
}

/** The filter of visitors and of nearly all accounts. */
export const NO_FILTER = new ListFilter('', new Map(), new Set());
