import type { IncomingMessage, ServerResponse } from 'node:http';

/** The server drops at most this much of a body after its response. The largest body that it accepts is an image of 10 MB. */
export const MAX_DROPPED_BYTES = 32 * 2 ** 20;
/** The connection is closed when the client sends nothing for this time. `HTTP_REQUEST_TIMEOUT_MS` limits the whole body. */
const MAX_PAUSE_MS = 1_000;

/**
 * Reads and drops the rest of a body after an early response, such as 413 or 429. Otherwise a client that is still sending gets a reset
 * connection (EPIPE) in place of the response.
 */
export function dropRestAfterResponse(request: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length, 'transfer-encoding': transfer } = request.headers;
  if (length === undefined && transfer === undefined) return;
  // Runs before Node's own listener, which drops without a limit or closes the connection.
  response.prependOnceListener('finish', () => {
    if (!request.complete && !request.socket.destroyed) dropRest(request);
  });
}

function dropRest(request: IncomingMessage): void {
  const { socket } = request;
  const close = (): void => void socket.destroy();
  const pause = setTimeout(close, MAX_PAUSE_MS);
  let dropped = 0;
  // Node calls this method to close a connection after its last response. The half-closed connection still receives.
  socket.destroySoon = () => socket.end();
  request.unpipe();
  // Marks the body as consumed, so that it emits events.
  request.read(0);
  request.on('data', (chunk: Buffer) => {
    pause.refresh();
    dropped += chunk.length;
    if (dropped > MAX_DROPPED_BYTES) close();
  });
  request.once('end', () => {
    clearTimeout(pause);
    Reflect.deleteProperty(socket, 'destroySoon');
    if (socket.writableEnded) socket.destroySoon();
  });
  socket.once('close', () => clearTimeout(pause));
}
