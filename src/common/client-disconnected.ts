import { setImmediate } from 'node:timers/promises';
import type { Span } from './tracing.js';

/**
 * Returns true after the client has closed its connection. The client may have retried over another connection.
 * @field span of the handler of a sampled request
 * @field recordCommit is called with the ms from the submission of a write to its result, before the result is returned
 */
export type IsDisconnected = {
  (): boolean;
  span?: Span | undefined;
  recordCommit?: (ms: number) => void;
};

/** Ends a request whose client has disconnected. The server writes nothing, and sends and logs no response. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

/**
 * Resolves after Node has read all connections with pending data, including their end. Node reads a request and the end of its
 * connection in two polls, and setImmediate callbacks run after each poll, so the function waits for two polls.
 */
export async function afterNextPoll(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
