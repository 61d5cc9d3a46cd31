import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { MongodDirectory } from './data-directory.js';
import { type KeeperMessage, keeperSource } from './keeper.js';
import { stopMongodOn } from './reclaim-data-directory.js';
import { signalProcess } from '../processes/process-info.js';
import { becomeWritablePrimary, REPLICA_SET_NAME } from './replica-set-start.js';

export interface EmbeddedMongodOptions {
  binary: string;
  /** kept across restarts; holds the data, the log and the port */
  dataDir: string;
  /** wanted when the directory remembers none; a free one is taken when it is in use */
  port?: number;
  /** upper bound of WiredTiger's cache; the server takes no more for itself than this and some 200 MB */
  cacheSizeGB?: number;
  /** further `--setParameter` settings; the tests switch fail points on with it */
  parameters?: Record<string, string>;
  /** when mongod.log becomes mongod.log.1, and how many of these are kept */
  logRotation?: Partial<{ maxBytes: number; keptFiles: number; checkEveryMs: number }>;
  startTimeoutMs?: number;
  stopTimeoutMs?: number;
  onProgress?: (line: string) => void;
  /** mongod died and the keeper starts it again (`restarting`), or gave up (`gone`) */
  onTrouble?: (message: KeeperMessage) => void;
}

/**
 * Changed pages may fill half of the cache before they are written outside of a checkpoint (every 60 s), not a twentieth: a page that
 * changes again and again was compressed and written each time, two fifths of what spread votes cost (docs/experiments.md).
 * What recovery needs is in the journal either way.
 */
const DIRTY_PAGES = 'eviction_dirty_target=50,eviction_dirty_trigger=70';

/**
 * mongod ends a transaction that nobody ends, and frees its rows, after this and up to half as long again. Ours take ten seconds at most; the
 * default of 60 s locked rows for up to 89 s (docs/operations.md).
 */
const TRANSACTION_LIFETIME_SECONDS = 20;

/**
 * Seconds of old versions that mongod keeps for readers of the past. There are none: every transaction reads the latest state, and what it
 * reads stays as long as it runs. With the default of 300 a row that changes takes all its versions of five minutes along, and the longer
 * spread votes went on the dearer each became (docs/experiments.md).
 */
const HISTORY_SECONDS = 0;

/** mongod.log and those before it: 80 MiB together. */
const LOG_ROTATION = { maxBytes: 20 * 2 ** 20, keptFiles: 3, checkEveryMs: 60_000 };

/** Our end of the keeper process. */
export class KeeperClient {
  mongodPid?: number;
  exitCode: number | null = null;
  private readonly child: ChildProcess;
  private readonly over = new AbortController();
  private readonly exited: Promise<void>;
  private reason = 'it did not become ready in time';
  private isReleased = false;

  constructor(
    private readonly options: EmbeddedMongodOptions,
    private readonly directory: MongodDirectory,
    private readonly port: number,
    private readonly password: string,
  ) {
    const keeperLog = openSync(directory.keeperLogFile, 'w');
    const { binary, stopTimeoutMs = 20_000 } = options;
    const source = keeperSource({
      binary,
      args: this.mongodArguments(),
      runningFile: directory.runningFile,
      port,
      stopTimeoutMs,
      log: { file: directory.logFile, ...LOG_ROTATION, ...options.logRotation },
    });
    // detached: a session of its own, out of reach of the terminal's signals
    this.child = spawn(process.execPath, ['-e', source], {
      detached: true,
      stdio: ['ignore', 'ignore', keeperLog, 'ipc'],
    });
    closeSync(keeperLog);
    this.exited = new Promise((resolve) => {
      this.child.once('exit', () => resolve());
      this.child.once('error', (error) => {
        this.reason = error.message;
        resolve();
      });
    });
    void this.exited.then(() => this.over.abort());
    this.child.on('message', (message) => this.hear(message as KeeperMessage));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async untilWritable(timeoutMs: number): Promise<void> {
    // A timer of our own: on Node 20 a timeout signal that only AbortSignal.any() holds is collected and never fires.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const signal = AbortSignal.any([this.over.signal, late.signal]);
    try {
      await becomeWritablePrimary(this.port, this.directory.dbPath, this.password, signal);
    } catch (error) {
      throw this.over.signal.aborted ? new Error(this.reason) : error;
    } finally {
      clearTimeout(timer);
    }
    this.child.send('ready');
  }

  /** From here on the keeper no longer keeps this process alive. */
  release(): void {
    this.isReleased = true;
    this.child.unref();
    this.child.channel?.unref();
  }

  async stop(): Promise<void> {
    this.isReleased = false;
    this.child.ref();
    if (this.child.connected) this.child.send('stop', () => {});
    const bound = setTimeout(
      () => {
        if (this.mongodPid) signalProcess(this.mongodPid, 'SIGKILL');
        this.child.kill('SIGKILL');
      },
      (this.options.stopTimeoutMs ?? 20_000) + 5_000,
    );
    await this.exited;
    clearTimeout(bound);
    // Only a keeper that was killed leaves its mongod behind.
    if (this.mongodPid) await stopMongodOn(this.directory, () => {}, this.mongodPid);
  }

  private hear(message: KeeperMessage): void {
    switch (message.type) {
      case 'started':
        this.mongodPid = message.pid;
        return;
      case 'gone':
        this.exitCode = message.code;
        this.reason = message.reason;
        this.over.abort();
        break;
      case 'restarting':
        break;
    }
    if (this.isReleased) this.options.onTrouble?.(message);
  }

  private mongodArguments(): string[] {
    const parameters = {
      // the default of 15 s waits for clients of a rolling restart; here the clients end with us
      shutdownTimeoutMillisForSignaledShutdown: '100',
      diagnosticDataCollectionEnabled: 'false',
      transactionLifetimeLimitSeconds: String(TRANSACTION_LIFETIME_SECONDS),
      minSnapshotHistoryWindowInSeconds: String(HISTORY_SECONDS),
      ...this.options.parameters,
    };
    return [
      ...['--replSet', REPLICA_SET_NAME, '--bind_ip', '127.0.0.1', '--port', String(this.port), '--nounixsocket'],
      ...['--auth', '--keyFile', this.directory.passwordFile],
      ...['--dbpath', this.directory.dbPath, '--logpath', this.directory.logFile, '--logappend', '--quiet'],
      ...['--logRotate', 'reopen'],
      ...['--wiredTigerCacheSizeGB', String(this.options.cacheSizeGB ?? 1), '--oplogSize', '1024'],
      ...['--wiredTigerEngineConfigString', DIRTY_PAGES],
      ...Object.entries(parameters).flatMap(([name, value]) => ['--setParameter', `${name}=${value}`]),
    ];
  }
}
