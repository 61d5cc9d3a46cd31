import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** Returns a ZIP of these files, in order. */
export function zipOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream as import('node:stream').Readable);
}

/** Replaces a name of a ZIP, in its list and at its file, by one of the same length that no writer accepts. */
export function renamed(zip: Buffer, name: string, to: string): Buffer {
  if (name.length !== to.length) throw new Error('the names differ in length');
  return Buffer.from(zip.toString('latin1').replaceAll(name, to), 'latin1');
}

/** Returns a ZIP that says it has this many files. */
export function countedAs(zip: Buffer, count: number): Buffer {
  const endOfList = zip.lastIndexOf('PK\x05\x06');
  for (const at of [8, 10]) zip.writeUInt16LE(count, endOfList + at);
  return zip;
}

/** Returns a post of Hugo. */
export function hugoPost(fields: Record<string, unknown>, text: string): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join('')}---\n${text}\n`;
}
