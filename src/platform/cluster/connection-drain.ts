import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { DrainOptions } from './ipc.js';

/** node stores the response in progress here; the drain test would detect a change. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/** Server event once it accepts no connections, so that responses without an end can be ended. */
export const CLOSING = 'closing';

const SWEEP_INTERVAL_MS = 50;

/**
 * Stops one HTTP server without failing a request: it accepts no new connections, responses carry `Connection: close`, and a
 * connection is cut only after the grace time without a request, or at the deadline.
 */
export class ConnectionDrain {
  private readonly sockets = new Set<HttpSocket>();
  private drained: Promise<void> | undefined;

  constructor(private readonly server: Server) {
    server.on('connection', (socket: HttpSocket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** Resolves when every connection is closed. Never rejects; a second call joins the first. */
  drain(options: DrainOptions): Promise<void> {
    this.drained ??= this.run(options);
    return this.drained;
  }

  private async run({ deadlineMs, idleGraceMs }: DrainOptions): Promise<void> {
    if (!this.server.listening) return;
    // http's own close() cuts idle connections, and with them requests in transit
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(this.server, () => resolve());
    });
    this.server.prependListener('request', (_request, response: ServerResponse) => {
      response.shouldKeepAlive = false;
    });
    for (const { _httpMessage: response } of this.sockets) {
      if (response && !response.headersSent) response.shouldKeepAlive = false;
    }
    this.server.emit(CLOSING);
    const startedAt = performance.now();
    // Counts turns of the event loop, not time: after a pause of the process, requests that arrived during it are read first.
    let graceLeftMs = idleGraceMs;
    const sweep = setInterval(() => {
      graceLeftMs -= SWEEP_INTERVAL_MS;
      // all connections, not only those that http still reads
      if (performance.now() - startedAt >= deadlineMs) for (const socket of this.sockets) socket.destroy();
      else if (graceLeftMs < 0) this.server.closeIdleConnections();
    }, SWEEP_INTERVAL_MS);
    await closed;
    clearInterval(sweep);
  }
}
