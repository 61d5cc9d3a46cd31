import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The network between a server and its mongod, as it is when a switch, a firewall or a NAT forgets a connection: `vanish` lets
 * everything disappear, in both directions and without a word; nothing is closed, neither side is told. New connections are accepted and
 * as silent. `appear` carries new connections again; those of before stay lost for good.
 */
export class VanishingProxy {
  private isAway = false;
  private generation = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(port: number, host = '127.0.0.1'): Promise<VanishingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new VanishingProxy(server, (server.address() as AddressInfo).port);
    server.on('connection', (client) => proxy.join(client, () => connect({ port, host, noDelay: true })));
    return proxy;
  }

  /** Directly: a replica set would tell its own address, which is not this one. */
  get uri(): string {
    return `mongodb://127.0.0.1:${this.port}/?directConnection=true`;
  }

  vanish(): void {
    this.isAway = true;
    this.generation++;
  }

  appear(): void {
    this.isAway = false;
    this.generation++;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket, open: () => Socket): void {
    this.keep(client);
    // what is read and goes nowhere: the sender's system acknowledges it, as a network that loses it later would
    if (this.isAway) return void client.resume();
    const { generation } = this;
    const mongod = open();
    this.keep(mongod);
    const carry = (from: Socket, to: Socket): void => {
      const isLost = (): boolean => generation !== this.generation;
      from.on('data', (chunk: Buffer) => {
        if (!isLost() && !to.destroyed) to.write(chunk);
      });
      // an end is a packet like any other
      from.on('close', () => {
        if (!isLost()) to.destroy();
      });
    };
    client.setNoDelay(true);
    carry(client, mongod);
    carry(mongod, client);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => this.sockets.delete(socket));
  }
}
