import type { ServerResponse } from 'node:http';
import type { Viewer } from '../../access/viewer.js';

/** @field id the position at which a client resumes */
export type ServerSentEvent = { event: string; id: string; data: unknown };

/** The server disconnects a client with more unsent data. The client reconnects and resumes. */
const MAX_PENDING_BYTES = 65_536;
const MIN_RETRY_MS = 1_000;
/** Retries last up to five times the minimum. */
const JITTER = 4;

/** The responses whose duration must not count in latency metrics. */
export const eventStreams = new WeakSet<ServerResponse>();

/** An open stream of server-sent events of one account. */
export class SseStream {
  readonly openedAt = performance.now();
  writtenAt = this.openedAt;
  /** called once */
  onClose: (() => void) | undefined;
  /** called after some time without an event, with `performance.now()` */
  onQuiet: ((now: number) => void) | undefined;

  /** @param response its headers must have been sent */
  constructor(
    private readonly response: ServerResponse,
    readonly viewer: Viewer,
  ) {
    eventStreams.add(response);
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  send(events: readonly ServerSentEvent[]): void {
    if (events.length > 0)
      this.write(
        events.map(({ event, id, data }) => `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
      );
  }

  /** Sends a comment, because proxies close idle connections. */
  sendComment(): void {
    this.write(':\n\n');
  }

  /** Ends the stream. The client reconnects after 1 to 5 times `minRetryMs`, so that the clients of a process do not reconnect at once. */
  end(minRetryMs = MIN_RETRY_MS): void {
    if (this.isOpen) this.response.end(`retry: ${minRetryMs + Math.floor(Math.random() * JITTER * minRetryMs)}\n\n`);
  }

  private write(text: string): void {
    if (!this.isOpen) return;
    // Checks before the write, because Node sends all writes of an event loop iteration together.
    if (this.response.writableLength > MAX_PENDING_BYTES) return void this.response.destroy();
    this.response.write(text);
    this.writtenAt = performance.now();
  }
}
