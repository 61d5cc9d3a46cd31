/** True once the response will not be read: the client has closed its connection, and may have sent the request again over another. */
export type IsDisconnected = () => boolean;

/** Ends a request whose client has disconnected: nothing was written, and no response is sent or logged. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

/**
 * Resolves when every connection that has something to be read now has been read, its end included. Node reads a request and the end
 * of its connection in two polls of the event loop, and callbacks of setImmediate run after each: so two of them.
 */
export async function afterNextPoll(): Promise<void> {
  await afterThisPoll();
  await afterThisPoll();
}

/** Resolves when every connection that was found ready together with the one being read now has been read. */
export function afterThisPoll(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
