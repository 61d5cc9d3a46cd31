import { type Document, type MongoClient, MongoNetworkError } from 'mongodb';
import { type CommandWatcher, WireConnection } from './wire-connection.js';
import { WireSession } from './wire-session.js';

type Address = { host: string; port: number };

/**
 * The sessions for transactions that are sent over connections of our own, as many as run at once. There are none for a server that asks for TLS, a
 * password or anything else that the driver's connections know and ours do not: there the driver does it all.
 */
export class WireSessions {
  private readonly idle: WireSession[] = [];
  private readonly open = new Set<WireConnection>();
  private isClosed = false;
  watch: CommandWatcher | undefined;

  constructor(
    private readonly client: () => MongoClient,
    private readonly database: () => string,
  ) {}

  /** Listens to what the driver learns of its servers. */
  follow(client: MongoClient): void {
    client.on('topologyClosed', () => {
      this.isClosed = true;
      for (const connection of this.open) connection.close();
    });
    // whoever waits for an answer from a server that the driver cannot reach might wait for ever
    client.on('serverHeartbeatFailed', ({ connectionId }) => {
      for (const connection of this.open) if (connection.address === connectionId) connection.close();
    });
  }

  /** null: these transactions are the driver's. Give it back, or close it. */
  take(): WireSession | null {
    if (this.isClosed || !isPlain(this.client().options)) return null;
    const session = this.idle.pop() ?? new WireSession(this.database(), () => this.connect());
    session.keepProcess(true);
    return session;
  }

  give(session: WireSession): void {
    session.keepProcess(false);
    this.idle.push(session);
  }

  private async connect(): Promise<WireConnection> {
    const client = this.client();
    const { connectTimeoutMS, socketTimeoutMS } = client.options;
    const address = await primaryOf(client);
    const connection = await WireConnection.open({
      ...address,
      connectTimeoutMs: connectTimeoutMS,
      socketTimeoutMs: socketTimeoutMS,
      watch: (command, durationMs, isFailed) => this.watch?.(command, durationMs, isFailed),
    });
    for (const known of this.open) if (!known.isOpen) this.open.delete(known);
    this.open.add(connection);
    try {
      await greet(connection, client);
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }
}

type PlainOptions = Pick<
  MongoClient['options'],
  'tls' | 'credentials' | 'loadBalanced' | 'proxyHost' | 'serverApi' | 'autoEncryption'
>;

function isPlain(options: PlainOptions): boolean {
  const { tls, credentials, loadBalanced, proxyHost, serverApi, autoEncryption } = options;
  return !tls && !loadBalanced && !(credentials ?? proxyHost ?? serverApi ?? autoEncryption);
}

/** The driver finds it, or waits for it, and says so when there is none. */
async function primaryOf(client: MongoClient): Promise<Address> {
  const { directConnection, hosts } = client.options;
  const [seed] = hosts;
  if (directConnection && seed?.host !== undefined) return { host: seed.host, port: seed.port ?? 27_017 };
  const { me } = (await client.db('admin').command({ hello: 1 })) as { me: string };
  const { hostname, port } = new URL(`mongodb://${me}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 27_017) };
}

async function greet(connection: WireConnection, client: MongoClient): Promise<void> {
  const name = client.options.appName;
  const driver = { name: 'opencanvas-api batches', version: '1' };
  const os = { type: process.platform };
  const hello: Document = { hello: 1, $db: 'admin', client: { driver, os, ...(name && { application: { name } }) } };
  const { isWritablePrimary } = await connection.command(hello);
  if (isWritablePrimary !== true) throw new MongoNetworkError(`${connection.address} is not the primary any more.`);
}
