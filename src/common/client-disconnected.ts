/** True once the client has closed its connection: the response is lost, and the client may have retried over another one. */
export type IsDisconnected = () => boolean;

/** Ends a request whose client has disconnected: nothing was written, and no response is sent or logged. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

/**
 * Resolves when every connection with pending data has been read, its end included. Node reads a request and the end of its connection in
 * two polls of the event loop, and setImmediate callbacks run after each, so this waits for two of them.
 */
export async function afterNextPoll(): Promise<void> {
  await afterThisPoll();
  await afterThisPoll();
}

/** Resolves when every connection that was readable in the same poll has been read. */
export function afterThisPoll(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
