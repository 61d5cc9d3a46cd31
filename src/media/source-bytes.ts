/** The reason for rejecting a file. The message may be shown to users. */
export class Refusal extends Error {}

const INCOMPLETE = 'is incomplete';
const SIGNATURE_BYTES = 8;
/** length, type and CRC of a chunk without data */
const FRAME_BYTES = 12;
/** Chunks for pixels, colors and orientation. Others are removed, because a text of 50 kB may decompress to 50 MB. */
const PNG_CHUNKS = new Set('IHDR PLTE tRNS IDAT IEND gAMA cHRM sRGB iCCP sBIT cICP eXIf'.split(' '));

/** Returns a PNG without the chunks that would only cost the decoder memory. One pass. @throws Refusal */
export function trimPng(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, SIGNATURE_BYTES)];
  for (let at = SIGNATURE_BYTES; ;) {
    if (at + FRAME_BYTES > bytes.length) throw new Refusal(INCOMPLETE);
    const end = at + FRAME_BYTES + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (end > bytes.length) throw new Refusal(INCOMPLETE);
    if (type === 'acTL' && bytes.readUInt32BE(at + 8) > 1) throw new Refusal(animated('PNG'));
    if (PNG_CHUNKS.has(type)) kept.push(bytes.subarray(at, end));
    if (type === 'IEND') return Buffer.concat(kept);
    at = end;
  }
}

export function animated(type: string): string {
  return `is an animated ${type}; animations can be GIF or WebP`;
}

const GIF_HEADER_BYTES = 13;
const GIF_IMAGE_BYTES = 10;
const BLOCK = { image: 0x2c, extension: 0x21, end: 0x3b };

/** Rejects a truncated GIF, because the decoder would show its first frames. @throws Refusal */
export function requireWholeGif(bytes: Buffer): void {
  const byte = (at: number): number => {
    const value = bytes[at];
    if (value === undefined) throw new Refusal(INCOMPLETE);
    return value;
  };
  const colors = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  const afterSubBlocks = (start: number): number => {
    let at = start;
    for (let length = byte(at); length > 0; length = byte(at)) at += length + 1;
    return at + 1;
  };
  let at = GIF_HEADER_BYTES + colors(byte(GIF_HEADER_BYTES - 3));
  for (let kind = byte(at); kind !== BLOCK.end; kind = byte(at)) {
    if (kind === BLOCK.extension) at = afterSubBlocks(at + 2);
    else if (kind === BLOCK.image)
      at = afterSubBlocks(at + GIF_IMAGE_BYTES + colors(byte(at + GIF_IMAGE_BYTES - 1)) + 1);
    else return; // the decoder checks the rest
  }
}
