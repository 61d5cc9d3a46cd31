/** What node calls a write to a socket that is over. */
const CODES = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_SOCKET_CLOSED',
]);

/** A write to a connection that had just ended: database drivers let node's own error through. */
export function isEndedSocket(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && CODES.has(String((error as NodeJS.ErrnoException).code));
}
