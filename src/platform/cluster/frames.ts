const LENGTH_BYTES = 4;
/** A frame holds the writes of one tick: larger is a mistake of the other side, and not worth the memory. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** JSON text behind its length. */
export function encodeFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  frame.writeUInt32LE(length);
  frame.write(text, LENGTH_BYTES);
  return frame;
}

/** Cuts a stream of bytes into frames. */
export class FrameReader<Frame> {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private needed = LENGTH_BYTES;

  constructor(private readonly onFrame: (frame: Frame) => void) {}

  /** @throws what is no frame: the connection is of no use from then on */
  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes < this.needed) return;
    const all = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks, this.bytes);
    let at = 0;
    this.needed = LENGTH_BYTES;
    while (all.length - at >= LENGTH_BYTES) {
      const length = all.readUInt32LE(at);
      if (length > MAX_FRAME_BYTES) throw new Error(`a frame of ${length} bytes`);
      const end = at + LENGTH_BYTES + length;
      if (end > all.length) {
        this.needed = LENGTH_BYTES + length;
        break;
      }
      this.onFrame(JSON.parse(all.toString('utf8', at + LENGTH_BYTES, end)) as Frame);
      at = end;
    }
    this.chunks = at === all.length ? [] : [all.subarray(at)];
    this.bytes = all.length - at;
  }
}
