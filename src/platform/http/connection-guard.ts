import type { Server } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';

export type ConnectionGuardOptions = {
  /** open connections one address may have with this process */
  maxConnectionsPerAddress: number;
  /** addresses, CIDR ranges or their names; they stand for many clients and are not limited */
  trustedProxies: string[];
  /** how long a client may leave an answer untouched */
  sendTimeoutMs: number;
};

type Watched = { taken: number; queued: number; since: number };

/** libuv's own count of what the kernel has not taken yet; node's socket timeout looks at it too. */
type Queue = { _handle?: { writeQueueSize?: number } | null };

/** The names that the setting of the trusted proxies knows. */
const NAMED_RANGES: Record<string, string[]> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Bounds what one address can hold of a server: its open connections, and answers that it asks for but does not read. Costs
 * something per connection and per look around, nothing per request.
 */
export class ConnectionGuard {
  readonly counts = { refused: 0, cut: 0 };
  private readonly perAddress = new Map<string, number>();
  private readonly sockets = new Map<Socket, Watched>();
  private readonly exempt = new BlockList();

  constructor(private readonly options: ConnectionGuardOptions) {
    for (const range of options.trustedProxies.flatMap((name) => NAMED_RANGES[name] ?? [name])) {
      const [address, bits] = range.split('/') as [string, string | undefined];
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.exempt.addAddress(address, family);
      else this.exempt.addSubnet(address, Number(bits), family);
    }
  }

  watch(server: Server): void {
    server.prependListener('connection', (socket: Socket) => this.admit(socket));
    const every = Math.max(50, Math.min(5_000, this.options.sendTimeoutMs / 4));
    const timer = setInterval(() => this.cutStalled(Date.now()), every).unref();
    server.once('close', () => clearInterval(timer));
  }

  private admit(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    const open = (this.perAddress.get(address) ?? 0) + 1;
    if (open > this.options.maxConnectionsPerAddress && !this.isExempt(address)) {
      this.counts.refused++;
      socket.destroy();
      return;
    }
    this.perAddress.set(address, open);
    this.sockets.set(socket, { taken: 0, queued: 0, since: Date.now() });
    socket.once('close', () => {
      this.sockets.delete(socket);
      const left = this.perAddress.get(address)! - 1;
      if (left === 0) this.perAddress.delete(address);
      else this.perAddress.set(address, left);
    });
  }

  private isExempt(address: string): boolean {
    return address !== '' && this.exempt.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /** Bytes that wait here are memory of ours; whoever takes none of them for the whole time loses the connection. */
  private cutStalled(now: number): void {
    for (const [socket, watched] of this.sockets) {
      const taken = socket.bytesWritten - socket.writableLength;
      // a large answer is one write, which is done only at its end: in the meantime the queue below it gets shorter
      const queued = (socket as Queue)._handle?.writeQueueSize ?? 0;
      if (socket.writableLength === 0 || taken !== watched.taken || queued !== watched.queued) {
        watched.taken = taken;
        watched.queued = queued;
        watched.since = now;
      } else if (now - watched.since >= this.options.sendTimeoutMs) {
        this.counts.cut++;
        socket.destroy();
      }
    }
  }
}

/** An IPv4 client of a socket that listens on both is the same client. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
