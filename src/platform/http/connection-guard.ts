import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs } from '../../common/monotonic.js';
import { NetworkList, networkOf } from '../../common/networks.js';
import { exportCounter } from '../prometheus/metric.js';

export type ConnectionGuardOptions = {
  /** open connections one address (IPv6: one /64) may have with this process */
  maxConnectionsPerAddress: number;
  /** addresses, CIDR ranges or their names; they stand for many clients and are not limited */
  trustedProxies: string[];
  /** how long a client may leave an answer untouched */
  sendTimeoutMs: number;
};

type Watched = { taken: number; since: number };

/** libuv's count of what the kernel has not taken yet; node's socket timeout looks at it too. */
type Queue = { _handle?: { writeQueueSize?: number } | null };

/** Bounds what one client network can hold of a server: its open connections, and answers that it does not read. */
export class ConnectionGuard {
  readonly counts = { refused: 0, cut: 0 };
  private readonly perNetwork = new Map<string, number>();
  private readonly sockets = new Map<Socket, Watched>();
  private readonly exempt: NetworkList;

  constructor(private readonly options: ConnectionGuardOptions) {
    this.exempt = new NetworkList(options.trustedProxies);
  }

  watch(server: Server): void {
    exportCounter({
      name: 'opencanvas_connections_closed_total',
      help: 'Connections closed on their client: refused (too many of one address), cut (left an answer unread)',
      labelNames: ['why'],
      read: () => Object.entries(this.counts).map(([why, count]) => [{ why }, count]),
    });
    server.prependListener('connection', (socket: Socket) => this.admit(socket));
    const every = Math.max(50, Math.min(5_000, this.options.sendTimeoutMs / 4));
    const timer = setInterval(() => this.cutStalled(monotonicMs()), every).unref();
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
    this.sockets.set(socket, { taken: 0, since: monotonicMs() });
    socket.once('close', () => {
      this.sockets.delete(socket);
      const left = this.perNetwork.get(network)! - 1;
      if (left === 0) this.perNetwork.delete(network);
      else this.perNetwork.set(network, left);
    });
  }

  /** Closes the connections whose client has taken no byte of what waits for it for the whole time: those bytes are memory of ours. */
  private cutStalled(now: number): void {
    for (const [socket, watched] of this.sockets) {
      // a large answer is one write, which is done only at its end: until then the queue below it gets shorter
      const queued = (socket as Queue)._handle?.writeQueueSize ?? 0;
      const taken = socket.bytesWritten - socket.writableLength - queued;
      if (socket.writableLength === 0 || taken !== watched.taken) {
        watched.taken = taken;
        watched.since = now;
      } else if (now - watched.since >= this.options.sendTimeoutMs) {
        this.counts.cut++;
        socket.destroy();
      }
    }
  }
}
