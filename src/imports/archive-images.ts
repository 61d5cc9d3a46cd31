import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { CodedError } from '../common/errors.js';
import { addressOf } from '../platform/http/validation/foreign-values.js';
import type { Viewer } from '../platform/access/viewer.js';
import { MediaUploadsService } from '../media/media-uploads.service.js';
import type { Archive, ArchivePost, ArchiveProblem } from './archive.js';
import type { ArchivePaths } from './archive-paths.js';
import { MarkdownAddresses } from './markdown-addresses.js';
import { absoluteFrom, replaceAddresses, writtenAddress } from './text-addresses.js';

const MAX_FETCHED = 500;
/** between two requests of an import */
const FETCH_EVERY_MS = 500;
/** The image process is busy with uploads of others. */
const BUSY_ATTEMPTS = 3;
const OWN_IMAGE = /^media:[0-9a-f]{24}$/;

/** One run over an archive. */
export type ImageSource = {
  archive: Archive;
  paths: ArchivePaths;
  /** for files on their way to the upload */
  directory: string;
  viewer: Pick<Viewer, '_id' | 'id'>;
  /** number of requests to other sites, also of earlier runs */
  fetched: number;
  /** hex ids of stored images, or null, by path or address */
  known: Map<string, string | null>;
};

type TextPlace = {
  /** path of the text in the archive */
  entry: string;
  /** address of its page, by which relative addresses of images and links become absolute */
  base: string | null;
};

export type TextWithImages = {
  content: string;
  thumbnailUrl?: string;
  thumbnailMediaId?: string;
  problems: ArchiveProblem[];
  /** number of images that the text shows from this server */
  images: number;
};

/** Stores the images of imported texts as uploads of the account. An image that fails keeps its address. */
@Injectable()
export class ArchiveImages {
  constructor(
    private readonly uploads: MediaUploadsService,
    private readonly addresses: MarkdownAddresses,
  ) {}

  /** @throws errors of an outage, after which the text can be taken again */
  async take(
    { content, thumbnail, entry, base }: Pick<ArchivePost, 'content' | 'thumbnail'> & TextPlace,
    source: ImageSource,
  ): Promise<TextWithImages> {
    const problems: ArchiveProblem[] = [];
    const found = await this.addresses.find(content, source.viewer.id);
    const images = found.filter(({ kind }) => kind === 'image');
    const ids = new Map<string, string>();
    for (const url of new Set([...images.map((image) => image.url), ...(thumbnail === null ? [] : [thumbnail])])) {
      if (OWN_IMAGE.test(url) || url.startsWith('data:')) continue;
      const id = await this.store(url, { entry, base }, source, problems);
      if (id !== null) ids.set(url, id);
    }
    const replaced = replaceAddresses(content, found, ({ kind, url }) => {
      if (kind === 'image' && ids.has(url)) return `media:${ids.get(url)}`;
      const absolute = absoluteFrom(base, url);
      return absolute === url ? undefined : writtenAddress(absolute);
    });
    const own = thumbnail === null ? undefined : ids.get(thumbnail);
    const elsewhere = thumbnail === null ? null : addressOf(absoluteFrom(base, thumbnail), 'https:');
    return {
      content: replaced,
      ...(own !== undefined && { thumbnailMediaId: own }),
      ...(own === undefined && elsewhere !== null && { thumbnailUrl: elsewhere }),
      problems,
      images: ids.size,
    };
  }

  private async store(
    url: string,
    { entry, base }: TextPlace,
    source: ImageSource,
    problems: ArchiveProblem[],
  ): Promise<string | null> {
    const path = source.paths.find(url, entry);
    const key = path ?? absoluteFrom(base, url);
    const known = source.known.get(key);
    if (known !== undefined) return known;
    let id: string | null = null;
    try {
      const image = path !== null ? await this.upload(path, source) : await this.fetch(key, source);
      id = image._id.toHexString();
    } catch (error) {
      const isOutage = !(error instanceof CodedError) || (error.status >= 500 && error.code !== 'overloaded');
      if (isOutage) throw error;
      problems.push({ entry, code: error.code, detail: `${url}: ${error.message}` });
    }
    source.known.set(key, id);
    return id;
  }

  private async upload(path: string, { archive, directory, viewer }: ImageSource) {
    const file = join(directory, 'image');
    for (let attempt = 1; ; attempt++)
      try {
        await pipeline(archive.open(path), createWriteStream(file));
        return await this.uploads.upload(viewer, file);
      } catch (error) {
        const isBusy = error instanceof CodedError && error.code === 'overloaded';
        if (!isBusy || attempt === BUSY_ATTEMPTS) throw error;
      }
  }

  private async fetch(url: string, source: ImageSource) {
    if (addressOf(url, 'https:', 'http:') === null) throw missing('is not in the archive.');
    if (source.fetched >= MAX_FETCHED) throw missing(`is not fetched: an import fetches ${MAX_FETCHED} images.`);
    source.fetched += 1;
    await sleep(FETCH_EVERY_MS);
    return this.uploads.import(source.viewer, url);
  }
}

function missing(detail: string): CodedError {
  return new CodedError('import_failed', `The image ${detail}`);
}
