import type { Socket } from 'node:net';
import type { PortableError } from '../../../common/portable-error.js';

/** Values of items and results. They are sent as JSON between the processes of a host. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json | undefined };

export type ToWriter = {
  /** hostClock() of the worker */
  sentAt: number;
  /** [id, group name, item, `traceparent` of a sampled request] */
  items: [number, string, Json, string?][];
};

export type FromWriter = {
  /** [id, result], or [id, null, error] */
  results?: [number, Json, PortableError?][];
  /** The writer is stopping. Send new items to its replacement. */
  isDraining?: true;
};

/** Milliseconds of the monotonic clock that all processes of a host share. */
export function hostClock(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

const LENGTH_BYTES = 4;
/** A frame contains the writes of one event loop iteration. A larger frame indicates a bug in the sender. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** Prefixes JSON text with its length in bytes. */
export function encodeFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  frame.writeUInt32LE(length);
  frame.write(text, LENGTH_BYTES);
  return frame;
}

/** Calls `onFrame` for each received frame. Destroys the connection on an invalid frame. */
export function readFrames<Frame>(socket: Socket, onFrame: (frame: Frame) => void): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let needed = LENGTH_BYTES;
  const cut = (): void => {
    const all = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes);
    let at = 0;
    needed = LENGTH_BYTES;
    while (all.length - at >= LENGTH_BYTES) {
      const length = all.readUInt32LE(at);
      if (length > MAX_FRAME_BYTES) throw new Error(`a frame of ${length} bytes`);
      const end = at + LENGTH_BYTES + length;
      if (end > all.length) {
        needed = LENGTH_BYTES + length;
        break;
      }
      onFrame(JSON.parse(all.toString('utf8', at + LENGTH_BYTES, end)) as Frame);
      at = end;
    }
    chunks = at === all.length ? [] : [all.subarray(at)];
    bytes = all.length - at;
  };
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < needed) return;
    try {
      cut();
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
}
