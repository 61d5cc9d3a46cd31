import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Decompressor } from '@cloudpss/zstd';
import { BSON } from 'mongodb';

/** A backup is one zstd stream of BSON documents: a head, batches of documents as the server sent them, and the manifest. */
const FORMAT = 'opencanvas-backup';
const VERSION = 1;
/** A batch ends at this size. Its last document may have 16 MB. */
export const BATCH_BYTES = 1024 * 1024;
const MAX_FRAME_BYTES = 20 * 1024 * 1024;
const LENGTH_BYTES = 4;

export type CollectionSummary = { name: string; documents: number; bytes: number; sha256: string };

export type BackupManifest = {
  /** version of the product */
  appVersion: string;
  database: string;
  /** time of the snapshot */
  takenAt: Date;
  collections: CollectionSummary[];
};

/** Concatenated BSON documents. */
export type BackupBatch = { collection: string; documents: Buffer };

/** The file is not a complete backup. */
export class DamagedBackup extends Error {}

export function headFrame(): Uint8Array {
  return BSON.serialize({ format: FORMAT, version: VERSION });
}

export function batchFrame({ collection, documents }: BackupBatch): Uint8Array {
  return BSON.serialize({ collection, documents });
}

export function manifestFrame(manifest: BackupManifest): Uint8Array {
  const bytes = BSON.serialize(manifest);
  return BSON.serialize({ manifest: bytes, sha256: createHash('sha256').update(bytes).digest('hex') });
}

/** Counts and hashes the documents of a backup. */
export class Summaries {
  private readonly byName = new Map<
    string,
    { documents: number; bytes: number; hash: ReturnType<typeof createHash> }
  >();

  add({ collection, documents }: BackupBatch, count: number): void {
    const summary = this.byName.get(collection) ?? { documents: 0, bytes: 0, hash: createHash('sha256') };
    this.byName.set(collection, summary);
    summary.documents += count;
    summary.bytes += documents.length;
    summary.hash.update(documents);
  }

  /** Call this once, at the end. */
  list(): CollectionSummary[] {
    return [...this.byName].map(([name, { documents, bytes, hash }]) => {
      return { name, documents, bytes, sha256: hash.digest('hex') };
    });
  }
}

/** Returns the slices of the documents in a batch. */
function splitDocuments(documents: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < documents.length;) {
    const left = documents.length - at;
    const length = left < LENGTH_BYTES ? 0 : documents.readInt32LE(at);
    if (length <= LENGTH_BYTES || length > left) throw new DamagedBackup('a document has a wrong length');
    parts.push(documents.subarray(at, at + length));
    at += length;
  }
  return parts;
}

/**
 * Reads a file, or `-` for standard input. Passes every batch in order to `onBatch`, and compares the contents with the manifest at the end. Memory holds one batch.
 * @param onBatch receives the share of the file that was read
 * @throws DamagedBackup
 */
export async function readBackup(
  file: string,
  onBatch: (batch: BackupBatch & { parts: Buffer[]; share: number }) => Promise<void> | void,
): Promise<BackupManifest> {
  const isStream = file === '-';
  const size = isStream ? Infinity : (await stat(file)).size;
  const source = isStream ? process.stdin : createReadStream(file);
  const passed = new Summaries();
  let manifest: BackupManifest | undefined;
  let isFirst = true;
  for await (const frame of framesOf(source)) {
    if (manifest !== undefined) throw new DamagedBackup('something follows its end');
    if (isFirst) requireHead(frame);
    else if ('manifest' in frame) manifest = readManifest(frame);
    else {
      const batch = readBatch(frame);
      const parts = splitDocuments(batch.documents);
      passed.add(batch, parts.length);
      await onBatch({ ...batch, parts, share: source.bytesRead / size });
    }
    isFirst = false;
  }
  if (manifest === undefined) throw new DamagedBackup('its end is missing');
  requireSame(manifest.collections, passed.list());
  return manifest;
}

async function* framesOf(source: NodeJS.ReadableStream): AsyncGenerator<BSON.Document> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of decompressed(source)) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= LENGTH_BYTES) {
      const length = held.readInt32LE(0);
      if (length <= LENGTH_BYTES || length > MAX_FRAME_BYTES) throw new DamagedBackup('a part has a wrong length');
      if (held.length < length) break;
      yield parse(held.subarray(0, length));
      held = held.subarray(length);
    }
  }
  if (held.length > 0) throw new DamagedBackup('its last part is cut off');
}

async function* decompressed(source: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  const plain = new Decompressor();
  let unread: Error | undefined;
  source.once('error', (error: Error) => {
    unread = error;
    plain.destroy();
  });
  try {
    for await (const chunk of source.pipe(plain)) yield chunk as Buffer;
  } catch (error) {
    throw unread ?? new DamagedBackup(`it cannot be decompressed (${(error as Error).message})`);
  }
}

function parse(bytes: Buffer): BSON.Document {
  try {
    return BSON.deserialize(bytes, { promoteBuffers: true });
  } catch (error) {
    throw new DamagedBackup(`a part cannot be read (${(error as Error).message})`);
  }
}

function requireHead({ format, version }: BSON.Document): void {
  if (format !== FORMAT) throw new DamagedBackup('it is not a backup of this server');
  if (version !== VERSION) throw new DamagedBackup('a later version of this server wrote it');
}

function readManifest({ manifest, sha256 }: BSON.Document): BackupManifest {
  const bytes = Buffer.from(manifest as Uint8Array);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new DamagedBackup('its manifest was changed');
  return BSON.deserialize(bytes) as BackupManifest;
}

function readBatch({ collection, documents }: BSON.Document): BackupBatch {
  if (typeof collection !== 'string' || !(documents instanceof Uint8Array))
    throw new DamagedBackup('a part is of no known kind');
  return { collection, documents: Buffer.from(documents.buffer, documents.byteOffset, documents.length) };
}

function requireSame(expected: CollectionSummary[], found: CollectionSummary[]): void {
  const foundOf = new Map(found.map((summary) => [summary.name, summary]));
  for (const { name, documents, sha256 } of expected) {
    const other = foundOf.get(name);
    if (other?.documents !== documents || other.sha256 !== sha256)
      throw new DamagedBackup(`${name} is not as it was written`);
  }
  if (found.length !== expected.length) throw new DamagedBackup('it holds collections that its manifest does not name');
}
