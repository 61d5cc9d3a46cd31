import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { type MongoClient, MongoNetworkError } from 'mongodb';
import { isPlainPassword, SCRAM_SHA_256, signIn } from './scram.js';
import { type CommandWatcher, WireConnection } from './wire-connection.js';
import { WireSession } from './wire-session.js';

/** The account has no password that a connection of ours could sign in with. */
export class NotOurs extends Error {}

type Address = { host: string; port: number };

/**
 * The sessions for transactions that are sent over connections of our own, as many as run at once. There are none for a server that is reached in a
 * way that only the driver's connections know (another mechanism than SCRAM-SHA-256, a load balancer, a SOCKS proxy): there the driver does it all.
 */
export class WireSessions {
  private readonly idle: WireSession[] = [];
  private readonly open = new Set<WireConnection>();
  /** whether there are any; undefined until somebody asks */
  private isInUse: boolean | undefined;
  watch: CommandWatcher | undefined;

  constructor(
    private readonly client: () => MongoClient,
    private readonly database: () => string,
  ) {}

  /** Listens to what the driver learns of its servers. */
  follow(client: MongoClient): void {
    client.on('topologyClosed', () => this.stop());
    // whoever waits for an answer from a server that the driver cannot reach might wait for ever
    client.on('serverHeartbeatFailed', ({ connectionId }) => {
      for (const connection of this.open) if (connection.address === connectionId) connection.close();
    });
  }

  /** null: these transactions are the driver's. Give it back, or close it. */
  take(): WireSession | null {
    // the driver makes a copy of its options for whoever asks
    this.isInUse ??= canReach(this.client().options);
    if (!this.isInUse) return null;
    const session = this.idle.pop() ?? new WireSession(this.database(), () => this.connect());
    session.keepProcess(true);
    return session;
  }

  /** From now on everything is the driver's. */
  stop(): void {
    this.isInUse = false;
    for (const connection of this.open) connection.close();
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
      tls: tlsOptions(client.options, address.host),
      watch: (command, durationMs, isFailed) => this.watch?.(command, durationMs, isFailed),
    });
    for (const known of this.open) if (!known.isOpen) this.open.delete(known);
    this.open.add(connection);
    try {
      await greet(connection, client);
      connection.greeted();
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }
}

type Options = MongoClient['options'];

function canReach({ credentials, loadBalanced, proxyHost, serverApi, autoEncryption }: Options): boolean {
  if (loadBalanced || (proxyHost ?? serverApi ?? autoEncryption) !== undefined) return false;
  if (credentials === undefined) return true;
  return (
    (credentials.mechanism === SCRAM_SHA_256 || credentials.mechanism === 'DEFAULT') &&
    isPlainPassword(credentials.password)
  );
}

/** Of `tls`, the names that the driver hands on. */
const TLS_OPTIONS = [
  ...['ALPNProtocols', 'ca', 'cert', 'checkServerIdentity', 'ciphers', 'crl', 'ecdhCurve', 'key', 'minDHSize'],
  ...['passphrase', 'pfx', 'rejectUnauthorized', 'secureContext', 'secureProtocol', 'servername', 'session'],
] as const;

function tlsOptions(options: Options, host: string): ConnectionOptions | undefined {
  if (!options.tls) return undefined;
  const set = options as unknown as Record<string, unknown>;
  const named = Object.fromEntries(TLS_OPTIONS.filter((name) => set[name] != null).map((name) => [name, set[name]]));
  return { ...(isIP(host) === 0 && { servername: host }), ...named };
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

async function greet(connection: WireConnection, { options }: MongoClient): Promise<void> {
  const { appName: name, credentials } = options;
  const driver = { name: 'opencanvas-api batches', version: '1' };
  const metadata = { driver, os: { type: process.platform }, ...(name && { application: { name } }) };
  const asked = credentials && { saslSupportedMechs: `${credentials.source}.${credentials.username}` };
  const hello = await connection.command({ hello: 1, $db: 'admin', client: metadata, ...asked });
  if (hello.isWritablePrimary !== true)
    throw new MongoNetworkError(`${connection.address} is not the primary any more.`);
  if (credentials === undefined) return;
  const mechanisms = hello.saslSupportedMechs as string[] | undefined;
  if (mechanisms?.includes(SCRAM_SHA_256) === false) throw new NotOurs();
  await signIn((command) => connection.command(command), credentials);
}
