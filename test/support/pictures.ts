import { randomBytes } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import type { Answer, TestClient } from './client.js';
import type { TestApp } from './app.js';

/** A PNG of one pixel. */
export const TINY_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export type FormFile = { bytes: Buffer; field?: string; name?: string; type?: string };

/** Returns a form with these files. A part without a filename is a field. */
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

/** Retries, because the image process gets only spare CPU. */
export function uploadPicture({ patient }: TestApp, token: string, bytes: Buffer): Promise<Answer> {
  return uploadOnce(patient, token, bytes);
}

export function uploadOnce(client: TestClient, token: string, bytes: Buffer): Promise<Answer> {
  return client.post('/v1/media', { token, ...formOf({ bytes }) });
}

let made = 0;

/** Returns a new random image of a few colors, which takes decoders and encoders time. */
export function noise(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const tile = randomBytes(64 * 64 * channels);
  tile.writeUInt32BE(++made);
  return sharp(tile, { raw: { width: 64, height: 64, channels } }).resize(width, height, { fit: 'fill' });
}

/** Returns an animation with a different image in each frame. */
export async function animation(width: number, height: number, frames: number): Promise<Buffer> {
  const images = await Promise.all(
    Array.from({ length: frames }, () => noise(width, height).png({ compressionLevel: 0 }).toBuffer()),
  );
  return sharp(images, { join: { animated: true } })
    .gif({ effort: 1 })
    .toBuffer();
}

/** Three frames of 40 x 30 pixels. sharp cannot write such files. */
export const ANIMATED_AVIF = Buffer.from(
  'AAAALGZ0eXBhdmlzAAAAAGF2aWZhdmlzbXNmMWlzbzhtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAPpAAAAJwAAAChpaW5mAAAAAAABAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAAKAAAAB4AAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBAAwAAAAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1hAAAAAAAAAAEAAQQBAoMEAAACym1vb3YAAAB4bXZoZAEAAAAAAAAA5y6FqQAAAADnLoWpAAAD6P//////////AAEAAAEAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAJKdHJhawAAAGh0a2hkAQAAAQAAAADnLoWpAAAAAOcuhakAAAABAAAAAP//////////AAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAAoAAAAHgAAAAAALGVkdHMAAAAkZWxzdAEAAAEAAAABAAAAAAAAASwAAAAAAAAAAAABAAAAAAGubWRpYQAAACxtZGhkAQAAAAAAAADnLoWpAAAAAOcuhakAAAPoAAAAAAAAASxVxAAAAAAAIWhkbHIAAAAAAAAAAHBpY3QAAAAAAAAAAAAAAAAAAAABWW1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAARlzdGJsAAAAlXN0c2QAAAAAAAAAAQAAAIVhdjAxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAACgAHgBIAAAASAAAAAAAAAABCkFPTSBDb2RpbmcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAGP//AAAADGF2MUOBAAwAAAAAE2NvbHJuY2x4AAEADQAGgAAAABBjY3N0AAAAAHwAAAAAAAAYc3R0cwAAAAAAAAABAAAAAwAAAGQAAAAcc3RzYwAAAAAAAAABAAAAAQAAAAMAAAABAAAAIHN0c3oAAAAAAAAAAAAAAAMAAAAnAAAAHQAAAB0AAAAUc3RjbwAAAAAAAAABAAAD6QAAABRzdHNzAAAAAAAAAAEAAAABAAAAaW1kYXQSAAoNAAAAAqT9Nr5EBDQaEDIUEACgAAACQAAABFcDIplhoEqsfPgSADIZMAPAgAAARqAAAAJAACAAIw4ypsKvOyW1tBIAMhkwBcEEAABGoAAAAkAAIAAjDjKmwq87JbW0',
  'base64',
);
export const ANIMATED_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAACGFjVEwAAAADAAAAAM7tusAAAAAaZmNUTAAAAAAAAAAoAAAAHgAAAAAAAAAAAAEACgAAslKHywAAACtJREFUeJztzTEBAAAEADAkFFssFXyercAyeuJDvaxisVgsFovFYrFYLD5ZN+kBVIdnzd8AAAAaZmNUTAAAAAEAAAAoAAAAHgAAAAAAAAAAAAEACgAAKSFtHwAAADJmZEFUAAAAAnic7c0xAQAwCACguVyGMJ15reDnAwWIrH4X/skqFovFYrFYLBaLxeKVAcYPAV5MS+KkAAAAGmZjVEwAAAADAAAAKAAAAB4AAAAAAAAAAAABAAoAAMS3vvYAAAAyZmRBVAAAAAR4nO3NMQEAMAgAoLmEhjCE8a3g5wMFiM56F/7JKhaLxWKxWCwWi8XilQFURAFo1pe+MAAAAABJRU5ErkJggg==',
  'base64',
);
