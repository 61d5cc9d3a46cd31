import { open, type FileHandle, readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type Entry, open as openZip, type ZipFile } from 'yauzl';
import { CodedError } from '../common/errors.js';
import type { Archive, ArchiveEntry } from './archive.js';

export const MAX_ARCHIVE_BYTES = 200_000_000;

export const ARCHIVE_LIMITS = {
  entries: 20_000,
  /** bytes of one file of a ZIP, unpacked */
  entryBytes: 10_000_000,
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
const NESTED = /\.(?:7z|bz2|gz|rar|tar|tgz|xz|zip|zst)$/i;
const SYMLINK = 0o120000;
const FILE_TYPE = 0o170000;
/** Files of macOS that no platform writes. */
const IGNORED = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/;
/** name of a file that is no ZIP */
const ONE_FILE = 'file';

export type OpenArchive = Archive & { close(): void };

/**
 * Opens a ZIP, or a single file, by its content. Reads the list of a ZIP, which is checked as a whole, but no file.
 * @throws CodedError `invalid_archive`
 */
export async function openArchive(path: string): Promise<OpenArchive> {
  const file = await open(path);
  try {
    return (await startsAsZip(file)) ? await zipOf(path) : await fileOf(path, file);
  } finally {
    await file.close();
  }
}

async function startsAsZip(file: FileHandle): Promise<boolean> {
  const { buffer: head, bytesRead } = await file.read(Buffer.alloc(ZIP_HEAD.length), 0, ZIP_HEAD.length, 0);
  return bytesRead === ZIP_HEAD.length && head.equals(ZIP_HEAD);
}

async function fileOf(path: string, file: FileHandle): Promise<OpenArchive> {
  const { size } = await file.stat();
  if (size === 0) throw invalidArchive('is empty');
  if (size > ARCHIVE_LIMITS.fileBytes)
    throw invalidArchive(`is no ZIP, and larger than ${ARCHIVE_LIMITS.fileBytes} bytes`);
  return { entries: [{ path: ONE_FILE, size }], read: () => readFile(path), close: () => {} };
}

async function zipOf(path: string): Promise<OpenArchive> {
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    // yauzl refuses absolute paths, `..` and backslashes in names, and files that unpack to another size than the list says.
    const options = { lazyEntries: true, autoClose: false, strictFileNames: true } as const;
    openZip(path, options, (error, opened) => (error ? reject(unreadable(error)) : resolve(opened)));
  });
  try {
    const files = await listOf(zip);
    const entries: ArchiveEntry[] = [...files].map(([name, { uncompressedSize: size }]) => ({ path: name, size }));
    return { entries, read: (name) => readEntry(zip, files.get(name), name), close: () => zip.close() };
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
  const { entryBytes, bytes: maxBytes, ratio } = ARCHIVE_LIMITS;
  if (uncompressedSize > entryBytes) throw invalidArchive(`has a file of more than ${entryBytes} bytes: ${fileName}`);
  if (uncompressedSize > MIN_RATIO_BYTES && uncompressedSize > ratio * compressedSize)
    throw invalidArchive(`has a file that unpacks to more than ${ratio} times its size: ${fileName}`);
  if (bytes > maxBytes) throw invalidArchive(`unpacks to more than ${maxBytes} bytes`);
  if (NESTED.test(fileName)) throw invalidArchive(`contains another archive: ${fileName}`);
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMLINK)
    throw invalidArchive(`contains a symbolic link: ${fileName}`);
  if ((entry.generalPurposeBitFlag & 1) !== 0) throw invalidArchive(`is encrypted: ${fileName}`);
}

function readEntry(zip: ZipFile, entry: Entry | undefined, name: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (entry === undefined) return reject(new Error(`the archive has no file ${name}`));
    zip.openReadStream(entry, (error, stream) => {
      if (error) reject(unreadable(error));
      else buffer(stream).then(resolve, (failure: Error) => reject(unreadable(failure)));
    });
  });
}

function unreadable(error: Error): CodedError {
  return invalidArchive(`cannot be read: ${error.message}`);
}

function invalidArchive(message: string): CodedError {
  return new CodedError('invalid_archive', `The file ${message}.`, { fields: [{ field: 'file', message }] });
}
