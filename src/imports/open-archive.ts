import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Entry, ZipFile } from 'yauzl';
import { CodedError } from '../common/errors.js';
import type { Archive, ArchiveEntry, ArchiveProblem } from './archive.js';

export const MAX_ARCHIVE_BYTES = 200_000_000;

export const ARCHIVE_LIMITS = {
  entries: 20_000,
  /** bytes of one file of a ZIP, unpacked */
  entryBytes: 10_000_000,
  /** bytes of one file of a ZIP that formats read row by row, unpacked */
  rowsBytes: 100_000_000,
  /** bytes of all files of a ZIP, unpacked */
  bytes: 1_000_000_000,
  /** bytes of a file that is no ZIP */
  fileBytes: 100_000_000,
  /** unpacked size of a file by its packed size */
  ratio: 100,
} as const;

/** Smaller files may have any ratio. */
const MIN_RATIO_BYTES = 100_000;
const ZIP_HEAD = Buffer.from('PK');
const ROWS = /\.(?:csv|json|jsonl|xml)$/i;
const NESTED = /\.(?:7z|bz2|gz|rar|tar|tgz|xz|zip|zst)$/i;
const SYMLINK = 0o120000;
const FILE_TYPE = 0o170000;
/** Files of macOS that no platform writes. */
const IGNORED = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/;
/** name of a file that is no ZIP */
const ONE_FILE = 'file';

const TOO_LARGE: Omit<ArchiveProblem, 'entry'> = {
  code: 'too_large',
  detail: `The file has more than ${ARCHIVE_LIMITS.entryBytes} bytes, and is left out.`,
};

/** `problems` has a row for each file that is too large, which `entries` omits. */
export type OpenArchive = Archive & { problems: readonly ArchiveProblem[]; close(): void };

/**
 * Opens a ZIP, or a single file, by its content. Reads the list of a ZIP, which is checked as a whole, but no file.
 * @param address from where the server has read the file
 * @throws CodedError `invalid_archive`
 */
export async function openArchive(path: string, address: string | null = null): Promise<OpenArchive> {
  const file = await open(path);
  try {
    const archive = (await startsAsZip(file)) ? await zipOf(path) : await fileOf(path, file);
    return { ...archive, address };
  } finally {
    await file.close();
  }
}

async function startsAsZip(file: FileHandle): Promise<boolean> {
  const { buffer: head, bytesRead } = await file.read(Buffer.alloc(ZIP_HEAD.length), 0, ZIP_HEAD.length, 0);
  return bytesRead === ZIP_HEAD.length && head.equals(ZIP_HEAD);
}

async function fileOf(path: string, file: FileHandle): Promise<Omit<OpenArchive, 'address'>> {
  const { size } = await file.stat();
  if (size === 0) throw invalidArchive('is empty');
  if (size > ARCHIVE_LIMITS.fileBytes)
    throw invalidArchive(`is no ZIP, and larger than ${ARCHIVE_LIMITS.fileBytes} bytes`);
  return { entries: [{ path: ONE_FILE, size }], problems: [], open: () => createReadStream(path), close: () => {} };
}

async function zipOf(path: string): Promise<Omit<OpenArchive, 'address'>> {
  const { open: openZip } = await import('yauzl');
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    // yauzl refuses absolute paths, `..` and backslashes in names, and files that unpack to another size than the list says.
    const options = { lazyEntries: true, autoClose: false, strictFileNames: true } as const;
    openZip(path, options, (error, opened) => (error ? reject(unreadable(error)) : resolve(opened)));
  });
  try {
    const files = await listOf(zip);
    const all: ArchiveEntry[] = [...files].map(([name, { uncompressedSize: size }]) => ({ path: name, size }));
    const entries = all.filter((one) => !isTooLarge(one));
    const problems = all.filter(isTooLarge).map(({ path: entry }) => ({ entry, ...TOO_LARGE }));
    return { entries, problems, open: (name) => partsOf(zip, files.get(name), name), close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** Reads the whole list, so that a bomb is refused before a file is unpacked. */
async function listOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > ARCHIVE_LIMITS.entries) throw invalidArchive(`has more than ${ARCHIVE_LIMITS.entries} files`);
  const files = new Map<string, Entry>();
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    zip.on('error', (error: Error) => reject(unreadable(error))).on('end', resolve);
    zip.on('entry', (entry: Entry) => {
      try {
        bytes += entry.uncompressedSize;
        requireSafe(entry, bytes);
        const name = entry.fileName;
        if (!name.endsWith('/') && !IGNORED.test(name)) {
          if (files.has(name)) throw invalidArchive(`has two files ${name}`);
          files.set(name, entry);
        }
        zip.readEntry();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    zip.readEntry();
  });
  return files;
}

function requireSafe({ fileName, uncompressedSize, compressedSize, ...entry }: Entry, bytes: number): void {
  const { rowsBytes, bytes: maxBytes, ratio } = ARCHIVE_LIMITS;
  // Without its posts, an archive is nothing to import.
  if (uncompressedSize > rowsBytes && ROWS.test(fileName))
    throw invalidArchive(`has a file of more than ${rowsBytes} bytes: ${fileName}`);
  if (uncompressedSize > MIN_RATIO_BYTES && uncompressedSize > ratio * compressedSize)
    throw invalidArchive(`has a file that unpacks to more than ${ratio} times its size: ${fileName}`);
  if (bytes > maxBytes) throw invalidArchive(`unpacks to more than ${maxBytes} bytes`);
  if (NESTED.test(fileName)) throw invalidArchive(`contains another archive: ${fileName}`);
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMLINK)
    throw invalidArchive(`contains a symbolic link: ${fileName}`);
  if ((entry.generalPurposeBitFlag & 1) !== 0) throw invalidArchive(`is encrypted: ${fileName}`);
}

function isTooLarge({ path, size }: ArchiveEntry): boolean {
  return size > ARCHIVE_LIMITS.entryBytes && !ROWS.test(path);
}

async function* partsOf(zip: ZipFile, entry: Entry | undefined, name: string): AsyncGenerator<Buffer> {
  if (entry === undefined) throw new Error(`the archive has no file ${name}`);
  try {
    const stream = await new Promise<Readable>((resolve, reject) =>
      zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened))),
    );
    // yauzl ends a stream of another size with an error.
    yield* stream;
  } catch (error) {
    throw unreadable(error as Error);
  }
}

function unreadable(error: Error): CodedError {
  return invalidArchive(`cannot be read: ${error.message}`);
}

function invalidArchive(message: string): CodedError {
  return new CodedError('invalid_archive', `The file ${message}.`, { fields: [{ field: 'file', message }] });
}
