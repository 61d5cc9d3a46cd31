import type { Term } from './words.js';

export const KINDS = ['posts', 'users', 'tags'] as const;
export type Kind = (typeof KINDS)[number];
/** Kinds with documents; tags are counted from posts. */
export type DocumentKind = Exclude<Kind, 'tags'>;

/** The maximum of candidates of one query, from which a page is filled. */
export const MAX_CANDIDATES = 200;

/** A listed post for the index. */
export type PostDocument = {
  id: string;
  title: string;
  tags: string[];
  type: string;
  authorId: string;
  /** first publication, in seconds since the epoch */
  publishedAt: number;
  /** the visible text in its stored form, decompressed when it is indexed */
  text: { codec: string; rawLength: number; bytes: Uint8Array };
};

export type UserDocument = {
  id: string;
  username: string;
  fullName: string;
  headline: string;
  followersCount: number;
};

/** The current documents of these ids; ids without a document are removed. */
export type Changes = {
  posts: { ids: string[]; documents: PostDocument[] };
  users: { ids: string[]; documents: UserDocument[] };
};

/** The state of the index: a position in the stream of changes, and the time up to which it contains all of them. */
export type Position = { token: unknown; at: number };

/** One step of a scan over all documents by id: those after `after` up to the last one (null: to the end). */
export type ScanStep = { kind: DocumentKind; after: string | null; upTo: string | null } & (
  | { kind: 'posts'; documents: PostDocument[] }
  | { kind: 'users'; documents: UserDocument[] }
);

/** The position of a scan: after a document of this kind. */
export type Walk = { kind: DocumentKind; after: string | null };
/** A scan in progress, with the number of scanned documents. */
export type Scan = Walk & { done: number };

export const FIRST_STEP: Walk = { kind: 'posts', after: null };

/** Posts, then users; null at the end. */
export function nextWalk({ kind, upTo }: Pick<ScanStep, 'kind' | 'upTo'>): Walk | null {
  if (upTo !== null) return { kind, after: upTo };
  return kind === 'posts' ? { kind: 'users', after: null } : null;
}

export type IndexState = {
  /** false during the first scan, in which searches get 503 */
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
  /** `key` of the last shown candidate; not for relevance */
  after?: number;
};

export type PostCandidate = {
  id: string;
  type: string;
  /** the position in the list of the newest */
  key: number;
  /** seconds since the epoch */
  publishedAt: number;
  /** relevance of the words, above 0 */
  score: number;
};
export type UserCandidate = { id: string; key: number };
export type TagCount = { tag: string; postsCount: number };

export type IndexResult = {
  posts: PostCandidate[];
  users: UserCandidate[];
  tags: TagCount[];
  /** the terms of the corrected search, when no document has the given words */
  corrected: Term[] | null;
  /** `any`: no document has all of the words */
  matches: 'all' | 'any';
};

export type Suggestions = { userIds: string[]; tags: TagCount[]; words: string[] };

/** Queries the index. Hidden and deleted posts may be among the candidates for a moment, so the caller checks visibility. */
export interface IndexReader {
  query(query: IndexQuery): IndexResult;
  suggest(terms: Term[], limit: number): Suggestions;
  close(): void;
}

/** The only writer of an index. Each call is one atomic transaction. */
export interface IndexWriter {
  /** Opens the index, or creates one if there is no usable one. */
  open(): IndexState;
  /** @returns the number of documents that changed */
  apply(changes: Changes, position: Position | null): number;
  /** Sets the position, when no change before it is missing. */
  moveTo(position: Position): void;
  /** Begins a scan at the first document. */
  startScan(position: Position): Scan;
  /** Makes the index equal to the documents of the step, and removes others of its range. @returns the rest of the scan, null at its end */
  applyScan(step: ScanStep): { scan: Scan | null; changed: number };
  /** Deletes everything. */
  reset(): IndexState;
  state(): IndexState;
  close(): void;
}

/** Thrown by readers while there is no usable index. */
export class IndexNotReady extends Error {
  override readonly name = 'IndexNotReady';
}
