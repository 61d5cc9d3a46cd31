import { randomBytes } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import type { Answer } from './client.js';
import type { TestApp } from './app.js';

/** One pixel. */
export const TINY_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export type FormFile = { bytes: Buffer; field?: string; name?: string; type?: string };

/** A form with these files; a part without a name is a field. */
export function formOf(...files: FormFile[]): { body: Buffer; headers: Record<string, string> } {
  const boundary = `----test${randomBytes(8).toString('hex')}`;
  const parts = files.flatMap(({ bytes, field = 'file', name = 'picture.bin', type = 'application/octet-stream' }) => {
    const filename = name === '' ? '' : `; filename="${name}"`;
    const typed = name === '' ? '' : `\r\ncontent-type: ${type}`;
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${field}"${filename}${typed}\r\n\r\n`;
    return [Buffer.from(head), bytes, Buffer.from('\r\n')];
  });
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

/** Patiently: the process that makes pictures has the CPU that others leave over. */
export function uploadPicture({ patient }: TestApp, token: string, bytes: Buffer): Promise<Answer> {
  return patient.post('/v1/media', { token, ...formOf({ bytes }) });
}

let made = 0;

/** A picture that none before was like: noise of a few colours, which decoders and encoders have work with. */
export function noise(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const tile = randomBytes(64 * 64 * channels);
  tile.writeUInt32BE(++made);
  return sharp(tile, { raw: { width: 64, height: 64, channels } }).resize(width, height, { fit: 'fill' });
}

/** Another one in each frame. */
export async function animation(width: number, height: number, frames: number): Promise<Buffer> {
  const images = await Promise.all(
    Array.from({ length: frames }, () => noise(width, height).png({ compressionLevel: 0 }).toBuffer()),
  );
  return sharp(images, { join: { animated: true } })
    .gif({ effort: 1 })
    .toBuffer();
}
