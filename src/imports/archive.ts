/** A file of an archive; `path` has `/` as separator, without a leading one. */
export type ArchiveEntry = { path: string; size: number };

/** An archive, opened: a ZIP, or one file (a ZIP with one entry for readers). */
export interface Archive {
  /** from where the server has read the file; null for an upload */
  address: string | null;
  entries: readonly ArchiveEntry[];
  /** Reads a file part by part. Ending the iteration closes the file. @throws CodedError `invalid_archive` */
  open(path: string): AsyncIterable<Buffer>;
}

/** A post of an archive, as its platform wrote it. */
export type ArchivePost = {
  /** identifies the post in its archive, so that a second import does not repeat it */
  sourceId: string;
  entry: string;
  title: string;
  subtitle: string | null;
  content: string;
  contentFormat: 'markdown' | 'html';
  tags: string[];
  canonicalUrl: string | null;
  createdAt: Date | null;
  /** path in the archive or http address */
  thumbnail: string | null;
  /** its address on the old site (absolute URL or path), by which other posts link to it */
  address: string | null;
  isPublished: boolean;
  /** as the platform names the account; absent if it names none */
  author?: string;
};

/** `author`: of the post, if the problem is one of a post */
export type ArchiveProblem = { entry: string; code: string; detail: string; author?: string };

export interface ArchiveFormat {
  name: string;
  recognises(archive: Archive): Promise<boolean>;
  posts(archive: Archive): AsyncIterable<ArchivePost | ArchiveProblem>;
}
