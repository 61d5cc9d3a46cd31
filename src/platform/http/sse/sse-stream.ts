import type { ServerResponse } from 'node:http';
import type { Viewer } from '../../auth/viewer.js';

/** @field id the position from which a client resumes */
export type ServerSentEvent = { event: string; id: string; data: unknown };

/** A slower client is disconnected, and resumes. */
const MAX_PENDING_BYTES = 65_536;
const [MIN_RETRY_MS, RETRY_JITTER_MS] = [1_000, 4_000];

const streamed = new WeakSet<ServerResponse>();

/** The duration of such a response says nothing about the server. */
export function isEventStream(response: ServerResponse): boolean {
  return streamed.has(response);
}

/** An open response of server-sent events to one account. */
export class SseStream {
  readonly openedAt = performance.now();
  writtenAt = this.openedAt;
  /** called once */
  onClose: (() => void) | undefined;

  /** @param response its headers are written */
  constructor(
    private readonly response: ServerResponse,
    readonly viewer: Viewer,
  ) {
    streamed.add(response);
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

  /** Proxies close connections without traffic. */
  sendComment(): void {
    this.write(':\n\n');
  }

  /** The client connects again after 1 to 5 s, so that the clients of a process do not all return at once. */
  end(): void {
    if (this.isOpen) this.response.end(`retry: ${MIN_RETRY_MS + Math.floor(Math.random() * RETRY_JITTER_MS)}\n\n`);
  }

  private write(text: string): void {
    if (!this.isOpen) return;
    // before the write, because node sends the writes of one turn of the event loop together
    if (this.response.writableLength > MAX_PENDING_BYTES) return void this.response.destroy();
    this.response.write(text);
    this.writtenAt = performance.now();
  }
}
