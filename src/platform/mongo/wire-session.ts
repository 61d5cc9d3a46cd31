import { type Document, Long, MongoNetworkError, MongoServerError, UUID } from 'mongodb';
import type { WireConnection } from './wire-connection.js';

/** Of a server that is no primary (any more): the next attempt has to look for the one that is. */
const NOT_PRIMARY_CODES = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);

/**
 * A server session with a connection of its own, for one transaction after the other. A connection that broke is opened again; the
 * transaction that begins then ends, by its higher number, one that the server still held open.
 */
export class WireSession {
  readonly id = new UUID();
  private connection: WireConnection | null = null;
  private txnNumber = 0;

  constructor(
    private readonly database: string,
    /** to the present primary */
    private readonly open: () => Promise<WireConnection>,
  ) {}

  /** @throws what opening a connection throws */
  async begin(): Promise<WireTransaction> {
    const connection = await this.connected();
    this.txnNumber += 1;
    const ids = { lsid: { id: this.id }, txnNumber: Long.fromNumber(this.txnNumber), autocommit: false };
    return new WireTransaction(ids, this.database, connection, this);
  }

  async connected(): Promise<WireConnection> {
    if (this.connection?.isOpen !== true) this.connection = await this.open();
    return this.connection;
  }

  /** What went wrong may mean that the primary is another one now. */
  noticed(error: unknown): void {
    if (error instanceof MongoServerError && NOT_PRIMARY_CODES.has(Number(error.code))) this.close();
  }

  keepProcess(keeps: boolean): void {
    this.connection?.keepProcess(keeps);
  }

  close(): void {
    this.connection?.close();
    this.connection = null;
  }
}

/**
 * A transaction (snapshot, majority, journaled) whose commands are sent as they come, each behind the others and without waiting for
 * their answers. The first command that fails ends it on the server, and all that were sent behind it fail with it.
 */
export class WireTransaction {
  private hasStarted = false;
  private isOver = false;

  constructor(
    private readonly ids: Document,
    private readonly database: string,
    private readonly connection: WireConnection,
    private readonly session: WireSession,
  ) {}

  /** @throws as `WireConnection.command` */
  command(command: Document): Promise<Document> {
    // a step of an attempt that has failed already must not join the next one
    if (this.isOver) return Promise.reject(new Error('This transaction is over.'));
    const start = this.hasStarted ? undefined : { startTransaction: true, readConcern: { level: 'snapshot' } };
    this.hasStarted = true;
    return this.connection.command({ ...command, $db: this.database, ...this.ids, ...start });
  }

  /**
   * Call when all commands were answered: never sent behind them, because a command that fails before the server has looked at its
   * session does not end the transaction, and the rest would be committed without it. May be called again when the answer was lost,
   * then on a new connection, to another primary if need be.
   */
  async commit(maxTimeMs: number): Promise<void> {
    this.isOver = true;
    if (!this.hasStarted) return;
    const connection = this.connection.isOpen ? this.connection : await this.session.connected();
    const writeConcern = { w: 'majority', j: true };
    const command = { commitTransaction: 1, $db: 'admin', ...this.ids, writeConcern, maxTimeMS: maxTimeMs };
    try {
      await connection.command(command);
    } catch (error) {
      this.session.noticed(error);
      throw error;
    }
  }

  /** Never rejects: what the server does not hear it ends by itself when the session's next transaction begins. */
  async abort(): Promise<void> {
    this.isOver = true;
    if (!this.hasStarted || !this.connection.isOpen) return;
    // a majority, which is what the server waits for by itself, has nothing to say about it
    const command = { abortTransaction: 1, $db: 'admin', ...this.ids, writeConcern: { w: 1 } };
    await this.connection.command(command).catch((error: unknown) => {
      // it had ended by itself, or so has the connection
      if (!(error instanceof MongoServerError || error instanceof MongoNetworkError)) throw error;
    });
  }
}
