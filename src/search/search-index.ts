import type { Term } from '../common/words.js';
import type { CommentText } from '../comments/indexable-comments.service.js';
import type { PostText } from '../posts/indexable-posts.service.js';

/** what a search for all kinds finds */
export const KINDS = ['posts', 'users', 'tags'] as const;
/** Comments are indexed with SEARCH_COMMENTS=on only. */
export type Kind = (typeof KINDS)[number] | 'comments';
/** Kinds with documents, in the order of a scan. Tags are counted from posts. */
export const DOCUMENT_KINDS = ['posts', 'users', 'comments'] as const satisfies Kind[];
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** maximum number of candidates of one query, from which a page is filled */
export const MAX_CANDIDATES = 200;

/** A listed post for the index. */
export type PostDocument = PostText;

export type UserDocument = {
  id: string;
  username: string;
  fullName: string;
  headline: string;
  followersCount: number;
};

/** A visible comment, also on a hidden post. */
export type CommentDocument = CommentText;

export type Documents = { posts: PostDocument; users: UserDocument; comments: CommentDocument };

/** The current documents of these ids. Ids without a document are removed from the index. */
export type Changes = { [Kind in DocumentKind]: { ids: string[]; documents: Documents[Kind][] } };

/** A position in the stream of changes, and the time up to which the index contains all changes. */
export type Position = { token: unknown; at: number };

/** One step of a scan over all documents by id: documents after `after` up to `upTo` (null: to the end). */
export type ScanStep = {
  kind: DocumentKind;
  after: string | null;
  upTo: string | null;
  documents: Documents[DocumentKind][];
};

/** The position of a scan: after a document of this kind. */
export type Walk = { kind: DocumentKind; after: string | null };
/** A scan in progress, with the number of scanned documents. */
export type Scan = Walk & { done: number };

export const FIRST_STEP: Walk = { kind: 'posts', after: null };

/** Returns the next position: posts, users, then comments; null at the end. */
export function nextWalk({ kind, upTo }: Pick<ScanStep, 'kind' | 'upTo'>): Walk | null {
  if (upTo !== null) return { kind, after: upTo };
  const next = DOCUMENT_KINDS[DOCUMENT_KINDS.indexOf(kind) + 1];
  return next === undefined ? null : { kind: next, after: null };
}

export type IndexState = {
  /** false during the first scan, when searches get 503 */
  isReady: boolean;
  position: Position | null;
  scan: Scan | null;
  documents: Record<DocumentKind, number>;
};

export type IndexQuery = {
  terms: Term[];
  kinds: Kind[];
  sort: 'relevance' | 'latest';
  type?: string;
  tag?: string;
  authorId?: string;
  /** `key` of the last shown candidate; not used for relevance */
  after?: number;
};

export type PostCandidate = {
  id: string;
  type: string;
  /** sort key of the newest-first order */
  key: number;
  /** seconds since the epoch */
  publishedAt: number;
  /** relevance of the words, above 0 */
  score: number;
};
export type UserCandidate = { id: string; key: number };
export type CommentCandidate = { id: string; key: number };
export type TagCount = { tag: string; postsCount: number };

export type IndexResult = {
  posts: PostCandidate[];
  users: UserCandidate[];
  comments: CommentCandidate[];
  tags: TagCount[];
  /** terms of the corrected search, if no document contains the given words */
  corrected: Term[] | null;
  /** `any`: no document contains all words */
  matches: 'all' | 'any';
};

export type Suggestions = { userIds: string[]; tags: TagCount[]; words: string[] };

/** Queries the index. Candidates may include hidden and deleted posts for a moment, so the caller checks visibility. */
export interface IndexReader {
  /** @throws IndexNotReady, IndexBusy; as the other queries */
  query(query: IndexQuery): Promise<IndexResult>;
  suggest(terms: Term[], limit: number): Promise<Suggestions>;
  /** Returns posts with the tags or the characteristic words of this one, best first. Empty for a post that is not in the index. */
  similar(id: string): Promise<PostCandidate[]>;
  close(): Promise<void>;
}

/** The only writer of an index. A position is stored with all changes before it, or not at all. */
export interface IndexWriter {
  /** Opens the index. Creates an index if no usable one exists. @throws IndexLocked */
  open(): Promise<IndexState>;
  /** @returns the number of documents that changed. @throws IndexLost, as all methods below */
  apply(changes: Changes, position: Position | null): Promise<number>;
  /** Sets the position. Call only if no earlier change is missing. */
  moveTo(position: Position): Promise<void>;
  /** Starts a scan at the first document. */
  startScan(position: Position): Promise<Scan>;
  /** Writes the documents of the step, and removes others in its range. @returns the rest of the scan, null at its end */
  applyScan(step: ScanStep): Promise<{ scan: Scan | null; changed: number }>;
  /** Begins a new index without documents. */
  reset(): Promise<IndexState>;
  state(): Promise<IndexState>;
  /** Returns the documents that were skipped since the last call: their text cannot be read, or the engine refused them. */
  takeUnreadable(): Promise<Unreadable>;
  close(): Promise<void>;
}

/** ids with the reason */
export type Unreadable = (readonly [id: string, reason: string])[];

/** @property bytes size of the index */
export type StoredState = IndexState & { bytes: number };

/** A search engine. The contract of readers and writers is `test/support/search/*.contract.ts`. */
export abstract class SearchEngine {
  /** whether all hosts query one index */
  abstract readonly isShared: boolean;
  /** used by all queries of this process */
  abstract readonly reader: IndexReader;
  /** Returns a writer that is not open yet. */
  abstract createWriter(): IndexWriter;
  /** Returns the state of the index, also while it is written; null if there is no usable index. */
  abstract readState(): Promise<StoredState | null>;
  /** Asks the running writer for a new index. */
  abstract requestRebuild(): Promise<void>;
}

/** Thrown by readers if there is no usable index. */
export class IndexNotReady extends Error {
  override readonly name = 'IndexNotReady';
}

/** Thrown by readers if the engine does not respond in time. */
export class IndexBusy extends Error {
  override readonly name = 'IndexBusy';
}

/** Thrown if another process writes the index. */
export class IndexLocked extends Error {
  override readonly name = 'IndexLocked';

  /** @param position up to which the other process has written, if known */
  constructor(
    message: string,
    readonly position: Position | null = null,
  ) {
    super(message);
  }
}

/** Thrown if the index is damaged or missing, or a rebuild was requested. */
export class IndexLost extends Error {
  override readonly name = 'IndexLost';
}
