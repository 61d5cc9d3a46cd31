import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { signalProcess } from '../processes/process-info.js';
import type { DataDirectory } from './data-directory.js';
import { type KeeperMessage, keeperSource, type LogRotation } from './keeper.js';
import { type MongodSettings, mongodArguments } from './mongod-arguments.js';
import { stopMongod } from './reclaim-data-directory.js';
import { becomeWritablePrimary } from './replica-set-start.js';

export type KeeperOptions = MongodSettings & {
  binary: string;
  /** when mongod.log becomes mongod.log.1, and how many of these are kept */
  logRotation?: Partial<LogRotation>;
  stopTimeoutMs?: number;
  /** mongod died and the keeper starts it again (`restarting`), or gave up (`gone`) */
  onTrouble?: (message: KeeperMessage) => void;
};

/** mongod.log and those before it: 80 MiB together. */
const LOG_ROTATION: LogRotation = { maxBytes: 20 * 2 ** 20, keptFiles: 3, checkEveryMs: 60_000 };
const STOP_TIMEOUT_MS = 20_000;

/** Our end of the keeper process. */
export class KeeperClient {
  mongodPid?: number;
  exitCode: number | null = null;
  private readonly child: ChildProcess;
  private readonly over = new AbortController();
  private readonly exited: Promise<unknown>;
  private readonly stopTimeoutMs: number;
  private reason = 'it did not become ready in time';
  private isReleased = false;

  constructor(
    private readonly options: KeeperOptions,
    private readonly directory: DataDirectory,
    private readonly port: number,
  ) {
    const { binary, logRotation, stopTimeoutMs = STOP_TIMEOUT_MS } = options;
    this.stopTimeoutMs = stopTimeoutMs;
    const source = keeperSource({
      binary,
      args: mongodArguments(directory, port, options),
      runningFile: directory.runningFile,
      port,
      stopTimeoutMs,
      log: { file: directory.logFile, ...LOG_ROTATION, ...logRotation },
    });
    const keeperLog = openSync(directory.keeperLogFile, 'w');
    // detached: a session of its own, out of reach of the terminal's signals
    this.child = spawn(process.execPath, ['-e', source], {
      detached: true,
      stdio: ['ignore', 'ignore', keeperLog, 'ipc'],
    });
    closeSync(keeperLog);
    this.child.on('message', (message) => this.hear(message as KeeperMessage));
    this.exited = new Promise((resolve) => {
      this.child.once('exit', resolve);
      this.child.on('error', (error) => resolve((this.reason = error.message)));
    }).finally(() => this.over.abort());
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resolves when mongod is a writable primary. */
  async start(password: string, timeoutMs: number): Promise<void> {
    // A timer of our own: on Node 20 a timeout signal that only AbortSignal.any() holds is collected and never fires.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      const signal = AbortSignal.any([this.over.signal, late.signal]);
      await becomeWritablePrimary(this.port, this.directory.dbPath, password, signal);
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
    const bound = setTimeout(() => {
      if (this.mongodPid) signalProcess(this.mongodPid, 'SIGKILL');
      this.child.kill('SIGKILL');
    }, this.stopTimeoutMs + 5_000);
    await this.exited;
    clearTimeout(bound);
    // only a keeper that was killed leaves its mongod behind
    if (this.mongodPid) await stopMongod(this.directory, this.mongodPid);
  }

  private hear(message: KeeperMessage): void {
    if (message.type === 'started') this.mongodPid = message.pid;
    if (message.type === 'gone') {
      this.exitCode = message.code;
      this.reason = message.reason;
      this.over.abort();
    }
    if (message.type !== 'started' && this.isReleased) this.options.onTrouble?.(message);
  }
}
