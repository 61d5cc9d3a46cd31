import { StartupError } from '../../common/errors.js';
import { findFreePort } from './free-port.js';
import {
  type MongodDirectory,
  openMongodDirectory,
  readLogErrors,
  readLogSize,
  readPort,
  writePort,
} from './data-directory.js';
import { type EmbeddedMongodOptions, KeeperClient } from './keeper-client.js';
import { settleLeftoverMongod } from './reclaim-data-directory.js';
import { ensurePassword, MONGOD_ACCOUNT, readPassword } from './mongod-password.js';
import { REPLICA_SET_NAME } from './replica-set-start.js';

/** mongod's own exit code for "the address is in use". */
const EXIT_NET_ERROR = 48;
const MAX_ATTEMPTS = 4;

/**
 * A real mongod of our own: a one-node replica set on 127.0.0.1, kept by a keeper process that ends with this one.
 * When another process of this project keeps the same directory already, its server is shared and `stop` leaves it alone.
 */
export class EmbeddedMongod {
  private constructor(
    readonly port: number,
    /** pid of the process that keeps mongod */
    readonly keeperPid: number,
    readonly isShared: boolean,
    private readonly password: string | null,
    private readonly keeper?: KeeperClient,
  ) {}

  /** holds the password: for environments of child processes, never for a command line or a log */
  get uri(): string {
    const account = this.password === null ? '' : `${MONGOD_ACCOUNT}:${this.password}@`;
    return `mongodb://${account}127.0.0.1:${this.port}/?replicaSet=${REPLICA_SET_NAME}`;
  }

  /** pid of mongod itself; it changes when the keeper had to start it again. Undefined for a shared one. */
  get mongodPid(): number | undefined {
    return this.keeper?.mongodPid;
  }

  /** Resolves once a primary accepts writes; throws a `StartupError` of one sentence otherwise. */
  static async start(options: EmbeddedMongodOptions): Promise<EmbeddedMongod> {
    const directory = await openMongodDirectory(options.dataDir);
    const onProgress = options.onProgress ?? (() => {});
    let wantedPort = (await readPort(directory)) ?? options.port;
    for (let attempt = 1; ; attempt += 1) {
      const running = await settleLeftoverMongod(directory, onProgress);
      if (running) {
        return new EmbeddedMongod(running.port, running.keeperPid, true, await readPassword(directory));
      }
      const password = await ensurePassword(directory);
      const port = await findFreePort(wantedPort);
      const logOffset = await readLogSize(directory);
      const keeper = new KeeperClient(options, directory, port, password);
      try {
        await keeper.untilWritable(options.startTimeoutMs ?? 60_000);
        await writePort(directory, port);
        keeper.release();
        return new EmbeddedMongod(port, keeper.pid, false, password, keeper);
      } catch (error) {
        await keeper.stop();
        const reasons = await readLogErrors(directory, logOffset);
        // Lost a race for the port or for the directory: look again.
        const isPortTaken = keeper.exitCode === EXIT_NET_ERROR;
        const isDirectoryTaken = reasons.some((reason) => reason.includes('DBPathInUse'));
        if ((isPortTaken || isDirectoryTaken) && attempt < MAX_ATTEMPTS) {
          if (isPortTaken) wantedPort = undefined;
          continue;
        }
        throw new StartupError(explainFailure(directory, reasons, error));
      }
    }
  }

  async stop(): Promise<void> {
    await this.keeper?.stop();
  }
}

function explainFailure(directory: MongodDirectory, reasons: string[], error: unknown): string {
  const told = reasons.join('\n');
  const where = `see ${directory.logFile}`;
  if (/No space left|out of disk|ENOSPC/i.test(told))
    return `The embedded MongoDB cannot start: the disk of ${directory.root} is full (${where}).`;
  if (/Permission denied|EACCES/i.test(told))
    return `The embedded MongoDB cannot start: files under ${directory.root} belong to another account (${where}).`;
  if (
    /UPGRADE PROBLEM|featureCompatibilityVersion|IncompatibleServerVersion|unsupported WiredTiger file version/i.test(
      told,
    )
  ) {
    return `The data under ${directory.root} was written by another MongoDB version than the mongod found now: use that version, or remove the directory to start empty (${where}).`;
  }
  const reason = reasons.at(-1) ?? (error instanceof Error ? error.message : String(error));
  return `The embedded MongoDB cannot start: ${reason} (${where}).`;
}
