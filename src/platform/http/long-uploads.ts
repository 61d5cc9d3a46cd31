import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** 0.4 Mbit/s, with which 200 MB take 67 minutes */
const MIN_BYTES_PER_SECOND = 50_000;

const uploads = new WeakSet<IncomingMessage>();

/** Lets a request take longer than HTTP_REQUEST_TIMEOUT_MS as long as its body arrives fast enough. */
export function allowLongUpload(request: IncomingMessage): void {
  uploads.add(request);
}

/**
 * Measures the rest of an upload when Node, which measures each request once, has ended its time.
 * @param end is called after a time as long as that one with less than MIN_BYTES_PER_SECOND
 * @returns false for any other request
 */
export function watchUpload(request: IncomingMessage, end: () => void): boolean {
  if (!uploads.has(request)) return false;
  const socket = request.socket as Socket & { server: Server };
  const periodMs = socket.server.requestTimeout;
  let receivedBytes = socket.bytesRead;
  const timer = setInterval(() => {
    const isSlow = socket.bytesRead - receivedBytes < (MIN_BYTES_PER_SECOND * periodMs) / 1_000;
    receivedBytes = socket.bytesRead;
    if (request.complete || socket.destroyed) clearInterval(timer);
    else if (isSlow) {
      clearInterval(timer);
      end();
    }
  }, periodMs).unref();
  return true;
}
