import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { DrainOptions } from './ipc.js';

/** Node stores the current response in this private property. The drain test fails if Node changes it. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/** Server event emitted when the server stops accepting connections. Handlers of endless responses end them. */
export const CLOSING = 'closing';

const SWEEP_INTERVAL_MS = 50;

/**
 * Stops one HTTP server without failing a request: accepts no new connections and sends `Connection: close`. Closes connections only after
 * the grace time without a request, or at the deadline.
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
    // `close()` of http closes idle connections, including those with a request in transit.
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
    // Counts ticks of the interval, not time, so that requests received during a pause of the process are read first.
    let graceLeftMs = idleGraceMs;
    const sweep = setInterval(() => {
      graceLeftMs -= SWEEP_INTERVAL_MS;
      // Includes connections that http no longer tracks.
      if (performance.now() - startedAt >= deadlineMs) for (const socket of this.sockets) socket.destroy();
      else if (graceLeftMs < 0) this.server.closeIdleConnections();
    }, SWEEP_INTERVAL_MS);
    await closed;
    clearInterval(sweep);
  }
}
