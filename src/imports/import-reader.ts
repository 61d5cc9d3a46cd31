import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { ImportedDraftsService, MAX_IMPORTED_DRAFTS } from '../drafts/imported-drafts.service.js';
import { UploadDirectory } from '../media/upload-directory.js';
import type { Viewer } from '../platform/access/viewer.js';
import { BlobStore } from '../platform/blobs/blob-store.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { HandlerContext } from '../platform/work-queue/task-handlers.js';
import { ContentFormatsService } from '../posts/content-formats.service.js';
import type { Archive, ArchiveFormat, ArchivePost, ArchiveProblem } from './archive.js';
import { ArchiveEntries, entryKey } from './archive-entries.js';
import { ArchivePaths } from './archive-paths.js';
import { ArchiveImages, type ImageSource } from './archive-images.js';
import { ArchiveImport, type ImportCounts } from './import.schema.js';
import { labelsOfPost, problemUpdate } from './imported-post.js';
import { openArchive, type OpenArchive } from './open-archive.js';

/** Other long tasks run between the parts of an import. */
const PART_MS = 60_000;

/** NUL, and halves of surrogate pairs. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

type Progress = Partial<Omit<ImportCounts, 'problems' | 'read'>> & { problems: readonly ArchiveProblem[] };

/** The import has ended: it was deleted, or another process continues it. */
export class ImportStopped extends Error {}

/** Reads an archive, post by post. Each post and the position after it are one transaction, so that a killed process continues there. */
@Injectable()
export class ImportReader {
  constructor(
    private readonly mongo: MongoService,
    private readonly blobs: BlobStore,
    private readonly directory: UploadDirectory,
    private readonly formats: ContentFormatsService,
    private readonly images: ArchiveImages,
    private readonly drafts: ImportedDraftsService,
    private readonly entries: ArchiveEntries,
    @InjectModel(ArchiveImport.name) private readonly imports: Model<ArchiveImport>,
  ) {}

  /**
   * Reads until the end, or for a minute.
   * @returns the failure of the import, null at its end, or the time to continue
   * @throws CodedError `invalid_archive`; ImportStopped
   */
  read(row: ArchiveImport, viewer: Viewer, { signal, throttle }: HandlerContext): Promise<string | Date | null> {
    return this.directory.use(async (directory) => {
      const path = join(directory, 'archive');
      await pipeline(this.blobs.open(row._id), createWriteStream(path), { signal });
      const archive = await openArchive(path, row.address);
      try {
        const format = await findFormat(archive, row.format);
        if (format === undefined) return 'unknown_format';
        await this.imports.updateOne({ _id: row._id }, { $set: { format: format.name } });
        const known = new Map<string, string | null>();
        const { fetched } = row.counts;
        const source = { archive, paths: new ArchivePaths(archive), directory, viewer, fetched, known };
        const endsAt = performance.now() + PART_MS;
        let at = 0;
        for await (const item of itemsOf(archive, format, row.authors)) {
          if (at++ < row.counts.read) continue;
          signal.throwIfAborted();
          await this.take(row, at - 1, item, source);
          await throttle(1);
          if (performance.now() > endsAt) return new Date();
        }
        return null;
      } finally {
        archive.close();
      }
    });
  }

  private async take(
    row: ArchiveImport,
    at: number,
    item: ArchivePost | ArchiveProblem,
    source: ImageSource,
  ): Promise<void> {
    const commit = (progress: Progress, write?: (tx: Transaction) => Promise<void>): Promise<void> =>
      this.commit(row._id, at, progress, write);
    if ('code' in item) return commit({ problems: [item] });
    const key = entryKey(row.userId, item.sourceId);
    if (await this.entries.isImported(key)) return commit({ repeated: 1, problems: [] });
    const fetched = source.fetched;
    try {
      const { draft, address, problems, images } = await this.draftOf(row, item, source);
      const { _id: draftId, reservedId: postId } = draft;
      const entry = { userId: row.userId, importId: row._id, draftId, postId: postId!, isPublished: false, address };
      const progress = { drafts: 1, images, fetched: source.fetched - fetched, problems };
      await commit(progress, async (tx) => {
        await this.drafts.insert(draft, tx);
        await this.entries.put({ _id: key, ...entry }, tx);
      });
    } catch (error) {
      if (!(error instanceof CodedError) || error.status >= 500) throw error;
      const problem = { entry: item.entry, code: error.code, detail: error.message };
      await commit({ fetched: source.fetched - fetched, problems: [problem] });
    }
  }

  /** @throws CodedError for a post that cannot become a draft */
  private async draftOf({ _id: importId, userId }: ArchiveImport, post: ArchivePost, source: ImageSource) {
    if ((await this.drafts.count(userId)) >= MAX_IMPORTED_DRAFTS)
      throw new CodedError('too_many_drafts', `An account has at most ${MAX_IMPORTED_DRAFTS} imported drafts.`);
    const { labels, address, problems } = labelsOfPost(post, new Date());
    const { entry, thumbnail, contentFormat } = post;
    const text = { content: post.content.replace(UNSTORABLE, ''), contentFormat };
    const { input, dropped = [] } = await this.formats.toMarkdown(text, userId.toHexString(), { mayBeBlank: true });
    const lost = dropped.map(({ element, count }) => `${element} (${count})`).join(', ');
    if (lost !== '') problems.push({ entry, code: 'html_dropped', detail: `Elements that were dropped: ${lost}` });
    const taken = await this.images.take({ content: input.content, thumbnail, entry, base: post.address }, source);
    const { images, problems: missing, ...shown } = taken;
    problems.push(...missing);
    const { importedAt, ...visible } = labels;
    const fields = { ...visible, ...shown, type: 'article' as const };
    const origin = { importId, reservedId: new ObjectId(), ...(importedAt && { importedAt }) };
    return { draft: await this.drafts.prepare(userId, fields, origin), address, problems, images };
  }

  /** @param at number of items before this one @throws ImportStopped */
  private async commit(
    _id: ObjectId,
    at: number,
    { problems, ...counts }: Progress,
    write?: (tx: Transaction) => Promise<void>,
  ): Promise<void> {
    const added = { ...counts, read: 1, problems: problems.length };
    const $inc = Object.fromEntries(Object.entries(added).map(([name, count]) => [`counts.${name}`, count]));
    const update = { $inc, $set: { attempts: 0 }, $push: problemUpdate(problems) };
    const unread = { _id, state: 'reading', 'counts.read': at } as const;
    await this.mongo.transaction(async (tx) => {
      const { matchedCount } = await this.imports.updateOne(unread, update, { session: tx.session });
      if (matchedCount === 0) throw new ImportStopped();
      await write?.(tx);
    });
  }
}

/** @param authors whose posts are wanted; empty: all */
async function* itemsOf(
  archive: OpenArchive,
  format: ArchiveFormat,
  authors: readonly string[],
): AsyncGenerator<ArchivePost | ArchiveProblem> {
  yield* archive.problems;
  for await (const item of format.posts(archive)) {
    const isOfFile = 'code' in item && item.author === undefined;
    if (authors.length === 0 || isOfFile || authors.includes(item.author ?? '')) yield item;
  }
}

/** Loads the parsers of all formats on first use, because most processes read no archive. */
export async function findFormat(archive: Archive, name: string | null): Promise<ArchiveFormat | undefined> {
  const { ARCHIVE_FORMATS } = await import('./formats/archive-formats.js');
  for (const format of ARCHIVE_FORMATS)
    if (name === null ? await format.recognises(archive) : format.name === name) return format;
  return undefined;
}
