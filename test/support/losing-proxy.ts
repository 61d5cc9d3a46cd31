import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Between a client and a real mongod: delivers a commit, keeps its answer back, and then refuses connections for a while. */
export class LosingProxy {
  lost = 0;
  refused = 0;
  private refusesForMs = 0;
  private isLosing = false;
  private refusesUntil = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(uri: string): Promise<LosingProxy> {
    const [, host, port] = /mongodb:\/\/([^:/]+):(\d+)/.exec(uri)!;
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new LosingProxy(server, (server.address() as AddressInfo).port);
    server.on('connection', (client) => proxy.join(client, connect(Number(port), host)));
    return proxy;
  }

  loseNextCommit(refusesForMs: number): void {
    this.isLosing = true;
    this.refusesForMs = refusesForMs;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket, mongod: Socket): void {
    let isCommitting = false;
    const end = (): void => {
      client.destroy();
      mongod.destroy();
    };
    for (const socket of [client, mongod]) {
      this.sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    if (performance.now() < this.refusesUntil) {
      this.refused++;
      return end();
    }
    client.on('data', (chunk: Buffer) => {
      if (this.isLosing && chunk.includes('commitTransaction')) {
        this.isLosing = false;
        isCommitting = true;
      }
      mongod.write(chunk);
    });
    mongod.on('data', (chunk: Buffer) => {
      if (!isCommitting) return void client.write(chunk);
      this.lost++;
      this.refusesUntil = performance.now() + this.refusesForMs;
      for (const socket of this.sockets) socket.destroy();
    });
  }
}
