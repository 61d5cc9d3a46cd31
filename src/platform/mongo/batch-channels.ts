import {
  type ClientSession,
  type Db,
  type Document,
  Long,
  type MongoClient,
  MongoServerError,
  type ServerHeartbeatFailedEvent,
} from 'mongodb';
import { BatchChannel, type ChannelAddress } from './batch-channel.js';

/** Groups that commit at the same time each use one; whoever finds none free asks the driver. */
const MAX_CHANNELS = 4;
const TRY_AGAIN_MS = 1_000;
const WRITE_CONFLICT = 112;

/**
 * Connections for the statements in the middle of a transaction. The driver's way of a command (selection, pool, session, events,
 * generators, what it keeps of every reply) costs this process five times as much as the command itself does here, and a
 * transaction belongs to a session, not to a connection. The driver begins the transaction with its first command and ends it: retries
 * of commits, failover and timeouts stay its business.
 *
 * Only towards a replica set that asks for no password and no TLS, as the embedded server is. Everybody else, a set without a primary and
 * whoever finds no channel free is served by the driver as before.
 */
export class BatchChannels {
  private channels: BatchChannel[] = [];
  private opening: Promise<void> | null = null;
  private triedAt = -Infinity;
  private isClosed = false;
  /** of the primary the channels lead to */
  private address: string | null = null;
  private requestId = 0;
  /** sessions in a transaction of ours: whether the server knows of it */
  private readonly begun = new WeakMap<ClientSession, boolean>();
  readonly counts = { commands: 0 };

  constructor(
    private readonly client: () => MongoClient,
    private readonly db: () => Db,
  ) {}

  /** Call at every start of a transaction, before its first command. */
  starting(session: ClientSession): void {
    this.begun.set(session, false);
  }

  /** The driver has had a command of this session answered. */
  started(session: ClientSession): void {
    if (this.begun.has(session)) this.begun.set(session, true);
  }

  ended(session: ClientSession): void {
    this.begun.delete(session);
  }

  /** null: the driver has to ask. Otherwise fails as the driver does. */
  ask(command: Document, session: ClientSession): Promise<Document> | null {
    if (this.begun.get(session) !== true) return null;
    const channel = this.channels.find(({ isFree }) => isFree);
    if (channel === undefined) {
      this.open();
      return null;
    }
    return this.send(channel, command, session);
  }

  close(): void {
    this.isClosed = true;
    this.client().off('serverHeartbeatFailed', this.onHeartbeatFailed);
    this.drop();
  }

  /** A server that froze or is cut off sends nothing, not even an end: the driver's monitor finds out long before the socket does. */
  private readonly onHeartbeatFailed = ({ connectionId }: ServerHeartbeatFailedEvent): void => {
    if (connectionId === this.address) this.drop();
  };

  private async send(channel: BatchChannel, statement: Document, session: ClientSession): Promise<Document> {
    const { databaseName } = this.db();
    const txnNumber = Long.fromNumber(session.serverSession.txnNumber);
    const command = { ...statement, lsid: session.id, txnNumber, autocommit: false, $db: databaseName };
    this.counts.commands++;
    // negative: never the number of a command of the driver
    const event = { requestId: --this.requestId, commandName: Object.keys(statement)[0]!, databaseName };
    const client = this.client();
    client.emit('commandStarted', { ...event, command } as never);
    const startedAt = performance.now();
    try {
      const reply = await channel.ask(command);
      if (reply['ok'] !== 1) throw new MongoServerError(reply);
      client.emit('commandSucceeded', { ...event, reply, duration: performance.now() - startedAt } as never);
      return reply;
    } catch (failure) {
      // a server that steps down or restarts says so in many ways: after all but the everyday failure the driver finds out where to go
      if (!(failure instanceof MongoServerError && failure.code === WRITE_CONFLICT)) this.drop();
      client.emit('commandFailed', { ...event, failure, duration: performance.now() - startedAt } as never);
      throw failure;
    }
  }

  private open(): void {
    this.channels = this.channels.filter(({ isOpen }) => isOpen);
    const now = performance.now();
    if (this.isClosed || this.opening !== null || this.channels.length >= MAX_CHANNELS) return;
    if (now - this.triedAt < TRY_AGAIN_MS) return;
    this.triedAt = now;
    this.opening = this.openOne()
      .catch(() => undefined)
      .finally(() => (this.opening = null));
  }

  private async openOne(): Promise<void> {
    const { options } = this.client();
    const isPlain = options.credentials === undefined && !options.tls && options.proxyHost === undefined;
    if (!isPlain || options.directConnection || options.loadBalanced || options.replicaSet === undefined) return;
    const { me, isWritablePrimary } = await this.db().command({ hello: 1 }, { readPreference: 'primary' });
    if (isWritablePrimary !== true || typeof me !== 'string') return;
    if (this.address === null) this.client().on('serverHeartbeatFailed', this.onHeartbeatFailed);
    this.address = me.toLowerCase();
    const timeouts = { connectMs: options.connectTimeoutMS, answerMs: options.socketTimeoutMS };
    const channel = await BatchChannel.open(addressOf(me), timeouts);
    if (this.isClosed) channel.close();
    else this.channels.push(channel);
  }

  private drop(): void {
    const { channels } = this;
    this.channels = [];
    // who waits on one runs its transaction again, as with the driver's connections
    for (const channel of channels) channel.close();
  }
}

function addressOf(member: string): ChannelAddress {
  const at = member.lastIndexOf(':');
  return { host: member.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(member.slice(at + 1)) };
}
