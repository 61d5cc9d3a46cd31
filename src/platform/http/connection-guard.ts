import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { NetworkList, networkOf } from '../../common/networks.js';
import type { AppConfig } from '../../config/app-config.js';
import { exportCounter } from '../prometheus/metric.js';

type Options = Pick<AppConfig['http'], 'maxConnectionsPerAddress' | 'trustedProxies' | 'sendTimeoutMs'>;

/** Limits the resources of one client network: open connections, and responses that it does not read. */
export class ConnectionGuard {
  readonly counts = { refused: 0, cut: 0 };
  /** written to closed connections */
  private closedBytes = 0;
  private readonly perNetwork = new Map<string, number>();
  private readonly sockets = new Set<Socket>();
  private readonly exempt: NetworkList;

  constructor(private readonly options: Options) {
    this.exempt = new NetworkList(options.trustedProxies);
  }

  watch(server: Server): void {
    exportCounter({
      name: 'opencanvas_connections_closed_total',
      help: 'Connections closed by the server: refused (too many of one address), cut (the client did not read a response)',
      labelNames: ['why'],
      read: () => Object.entries(this.counts).map(([why, count]) => [{ why }, count]),
    });
    exportCounter({
      name: 'opencanvas_response_bytes_total',
      help: 'Bytes written to clients, with headers, for all responses',
      read: () => [...this.sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, this.closedBytes),
    });
    server.prependListener('connection', (socket: Socket) => this.admit(socket));
    const every = Math.max(50, Math.min(5_000, this.options.sendTimeoutMs / 4));
    const timer = setInterval(() => this.boundUnread(), every).unref();
    server.once('close', () => clearInterval(timer));
  }

  private admit(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    const open = (this.perNetwork.get(network) ?? 0) + 1;
    if (open > this.options.maxConnectionsPerAddress && !this.exempt.has(address)) {
      this.counts.refused++;
      socket.destroy();
      return;
    }
    this.perNetwork.set(network, open);
    this.sockets.add(socket);
    // Node's own timeout listener closes the connection.
    socket.on('timeout', () => {
      if (socket.writableLength > 0) this.counts.cut++;
    });
    socket.once('close', () => {
      this.sockets.delete(socket);
      this.closedBytes += socket.bytesWritten;
      const left = this.perNetwork.get(network)! - 1;
      if (left === 0) this.perNetwork.delete(network);
      else this.perNetwork.set(network, left);
    });
  }

  /**
   * Sets a timeout on sockets with unsent data only, because unread responses occupy memory and each timeout has a cost.
   * Node's socket timeout recognizes the progress of a large write.
   */
  private boundUnread(): void {
    const { sendTimeoutMs } = this.options;
    for (const socket of this.sockets)
      if (socket.writableLength > 0 && socket.timeout !== sendTimeoutMs) socket.setTimeout(sendTimeoutMs);
  }
}
