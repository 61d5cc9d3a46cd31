import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { EntryError, filesOf, formatOf, problemOf, type Read, textOf } from './archive-files.js';
import { lineOf, toPost } from './to-post.js';

type Row = Partial<Record<string, string>>;

const POST = /(?:^|\/)posts\/((\d+)(?:\.([^/]*))?)\.html$/;
const OPTIONS = {
  columns: true,
  bom: true,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
} as const;
const MAX_ROW_BYTES = 1_000_000;

/** The ZIP of Substack: a list of posts, and a file of HTML for each. */
export const substackFormat = formatOf(
  'substack',
  [/(?:^|\/)posts\.csv$/],
  /^"?post_id"?,/,
  async function* (list, archive) {
    const files = new Map<string, string>();
    for (const path of filesOf(archive, POST)) for (const id of POST.exec(path)?.slice(1, 3) ?? []) files.set(id, path);
    for await (const row of rowsOf(archive.open(list))) {
      if (row['type'] === 'page') continue;
      const id = lineOf(row['post_id']);
      const entry = files.get(id) ?? files.get(id.split('.', 1)[0]!) ?? list;
      try {
        yield* postOf(row, entry, entry === list ? '' : await textOf(archive, entry));
      } catch (error) {
        yield problemOf(entry, error);
      }
    }
  },
);

function postOf(row: Row, entry: string, html: string): Iterable<Read> {
  const slug = POST.exec(entry)?.[3];
  return toPost('substack', entry, {
    id: entry.slice(entry.lastIndexOf('/') + 1),
    title: row['title'],
    subtitle: row['subtitle'],
    content: html,
    contentFormat: 'html',
    date: row['post_date'],
    address: slug && `/p/${slug}`,
    isPublished: row['is_published']?.toLowerCase() === 'true',
    isRestricted: !['everyone', ''].includes(lineOf(row['audience'])),
  });
}

/** @throws EntryError `invalid_csv`, after the rows before */
async function* rowsOf(file: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  const rows = Readable.from(file).pipe(parse({ ...OPTIONS, max_record_size: MAX_ROW_BYTES }));
  try {
    for await (const row of rows) yield row as Row;
  } catch (error) {
    throw new EntryError('invalid_csv', `The list cannot be read: ${(error as Error).message.slice(0, 200)}`);
  }
}
