import type { Archive, ArchiveFormat } from '../archive.js';
import { formatOf, type Read, textOf } from './archive-files.js';
import { splitFrontMatter } from './front-matter.js';
import { jsonItems } from './json-items.js';
import { lineOf, tagsOf, toPost } from './to-post.js';

const ACCOUNT = /(?:^|\/)account\.json$/;
const LINES = /(?:^|\/)posts\.jsonl$/;
const LINES_AND_DRAFTS = /(?:^|\/)(?:posts\.jsonl|drafts\/[^/]+\.md)$/;
/** Exports up to version 0.3 have each text only here. */
const FILES = /(?:^|\/)(?:posts|drafts)\/[^/]+\.md$/;
const POST_FILE = /(?:^|\/)posts\/\d{4}-\d\d-\d\d-([^/]+)\.md$/;
const IMAGE_FILE = /(?:^|\/)(pictures\/([0-9a-f]{24})-[^/]+)$/;
/** an image by its id, as the address of a link, in Markdown or HTML */
const IMAGE = /(?<=\]\(<?|\]: ?<?|=["']?)media:([0-9a-f]{24})\b/g;

const has = ({ entries }: Archive, pattern: RegExp): boolean => entries.some(({ path }) => pattern.test(path));

/** The export of an account of this software: posts and drafts with their texts byte for byte, apart from the addresses of images. */
export const ownExportFormat: ArchiveFormat = {
  name: 'own-export',
  recognises: async (archive) => has(archive, ACCOUNT) && (has(archive, LINES) || has(archive, FILES)),
  posts(archive) {
    const images = new Map(
      archive.entries.map(({ path }) => IMAGE_FILE.exec(path)).map((match) => [match?.[2], match?.[1]]),
    );
    const pattern = has(archive, LINES) ? LINES_AND_DRAFTS : FILES;
    return formatOf('own-export', [pattern], /^(?:---\n|\{)/, (entry, file) => read(entry, file, images)).posts(
      archive,
    );
  },
};

async function* read(
  entry: string,
  archive: Archive,
  images: ReadonlyMap<unknown, string | undefined>,
): AsyncGenerator<Read> {
  const write = (get: (name: string) => unknown, content: unknown, slug: string): Generator<Read> =>
    toPost('own-export', entry, {
      id: lineOf(get('id')) || entry,
      title: get('title'),
      subtitle: get('subtitle'),
      content: (typeof content === 'string' ? content : '').replace(
        IMAGE,
        (address, id: string) => images.get(id) ?? address,
      ),
      contentFormat: 'markdown',
      tags: tagsOf(get('tags')),
      canonicalUrl: get('canonicalUrl'),
      date: get('createdAt'),
      // A file of the server has the same name in the export.
      thumbnail: lineOf(get('thumbnailUrl')).replace(/^\/(?:.*\/)?/, 'pictures/'),
      address: slug && `/p/${slug}`,
      isPublished: slug !== '' && String(get('isPublic')) === 'true',
    });
  if (LINES.test(entry))
    for await (const row of jsonItems(archive.open(entry), '$'))
      yield* write((name) => row[name], row['content'], lineOf(row['slug']));
  else {
    const { fields, body } = splitFrontMatter(await textOf(archive, entry));
    yield* write((name) => fields.get(name.toLowerCase()), body, POST_FILE.exec(entry)?.[1] ?? '');
  }
}
