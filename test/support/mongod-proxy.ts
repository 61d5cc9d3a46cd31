import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy between clients and a real mongod on this machine. Subclasses change its traffic. */
export abstract class MongodProxy {
  protected readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.join(this.keep(client)));

  /** The `name:password@` of the clients' URI. */
  private account = '';

  constructor(private readonly mongodPort: number) {}

  static async start<Proxy extends MongodProxy>(
    this: new (port: number) => Proxy,
    mongod: number | { uri: string },
  ): Promise<Proxy> {
    const { port, username, password } = new URL(
      typeof mongod === 'number' ? `mongodb://mongod:${mongod}` : mongod.uri,
    );
    const proxy = new this(Number(port));
    if (username) proxy.account = `${username}:${password}@`;
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Connects directly, because a replica set would return its own address, which bypasses the proxy. */
  get uri(): string {
    return `mongodb://${this.account}127.0.0.1:${this.port}/?directConnection=true`;
  }

  async close(): Promise<void> {
    this.breakAll();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Accepts a new connection of a client. */
  protected abstract join(client: Socket): void;

  protected open(): Socket {
    return this.keep(connect({ port: this.mongodPort, host: '127.0.0.1' }));
  }

  protected breakAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.setNoDelay(true);
    return socket.on('error', () => socket.destroy()).on('close', () => this.sockets.delete(socket));
  }
}
