import { join } from 'node:path';
import { StartupError } from '../../common/errors.js';
import type { AppConfig } from '../../config/app-config.js';
import { DataDirectory } from './data-directory.js';
import { findFreePort } from './free-port.js';
import { KeeperClient, type KeeperOptions } from './keeper-client.js';
import { REPLICA_SET_NAME } from './mongod-arguments.js';
import { findMongodBinary } from './mongod-binary.js';
import { reclaimDataDirectory } from './reclaim-data-directory.js';
import { MONGOD_ACCOUNT } from './replica-set-start.js';

export type EmbeddedMongodOptions = KeeperOptions & {
  /** kept across restarts; holds the data, the log and the port */
  dataDir: string;
  startTimeoutMs?: number;
  onProgress?: (line: string) => void;
};

/** mongod's own exit code for "the address is in use". */
const EXIT_NET_ERROR = 48;
const MAX_ATTEMPTS = 4;

/** The embedded server as the configuration wants it, data under `<DATA_DIR>/mongo`; call it only where `config.mongo.uri` is unset. */
export async function startEmbeddedMongod(
  { mongo }: Pick<AppConfig, 'mongo'>,
  hooks: Pick<EmbeddedMongodOptions, 'onProgress' | 'onTrouble'> = {},
): Promise<EmbeddedMongod> {
  const { path: binary } = await findMongodBinary({ binary: mongo.binary, onProgress: hooks.onProgress });
  return EmbeddedMongod.start({ binary, dataDir: join(mongo.dataDir, 'mongo'), cacheSizeGB: mongo.cacheGb, ...hooks });
}

/**
 * A one-node replica set on 127.0.0.1, kept by a keeper process that ends with this one. One that another process of this project
 * keeps on the same directory is shared, and `stop` leaves it alone.
 */
export class EmbeddedMongod {
  private constructor(
    readonly port: number,
    /** pid of the process that keeps mongod */
    readonly keeperPid: number,
    private readonly password: string | null,
    private readonly keeper?: KeeperClient,
  ) {}

  get isShared(): boolean {
    return this.keeper === undefined;
  }

  /** holds the password: for environments of child processes, never for a command line or a log */
  get uri(): string {
    const account = this.password === null ? '' : `${MONGOD_ACCOUNT}:${this.password}@`;
    return `mongodb://${account}127.0.0.1:${this.port}/?replicaSet=${REPLICA_SET_NAME}`;
  }

  /** pid of mongod itself; it changes when the keeper had to start it again. Undefined for a shared one. */
  get mongodPid(): number | undefined {
    return this.keeper?.mongodPid;
  }

  /** Resolves once a primary accepts writes. @throws StartupError of one sentence */
  static async start(options: EmbeddedMongodOptions): Promise<EmbeddedMongod> {
    const { onProgress = () => {}, startTimeoutMs = 60_000 } = options;
    const directory = await DataDirectory.open(options.dataDir);
    let wantedPort = await directory.readPort();
    for (let attempt = 1; ; attempt++) {
      const running = await reclaimDataDirectory(directory, onProgress);
      if (running) return new EmbeddedMongod(running.port, running.keeperPid, await directory.readPassword());
      const password = await directory.ensurePassword();
      const port = await findFreePort(wantedPort);
      const logOffset = await directory.readLogSize();
      const keeper = new KeeperClient(options, directory, port);
      try {
        await keeper.start(password, startTimeoutMs);
        await directory.writePort(port);
        keeper.release();
        return new EmbeddedMongod(port, keeper.pid, password, keeper);
      } catch (error) {
        await keeper.stop();
        const reasons = await directory.readLogErrors(logOffset);
        // it may have lost a race for the port or for the directory
        const isPortTaken = keeper.exitCode === EXIT_NET_ERROR;
        if (isPortTaken) wantedPort = undefined;
        const mayRetry = isPortTaken || reasons.some((reason) => reason.includes('DBPathInUse'));
        if (!mayRetry || attempt === MAX_ATTEMPTS) throw new StartupError(explainFailure(directory, reasons, error));
      }
    }
  }

  async stop(): Promise<void> {
    await this.keeper?.stop();
  }
}

function explainFailure({ root, logFile }: DataDirectory, reasons: string[], error: unknown): string {
  const told = reasons.join('\n');
  const cannot = (reason: string): string => `The embedded MongoDB cannot start: ${reason} (see ${logFile}).`;
  if (/No space left|out of disk|ENOSPC/i.test(told)) return cannot(`the disk of ${root} is full`);
  if (/Permission denied|EACCES/i.test(told)) return cannot(`files under ${root} belong to another account`);
  if (/UPGRADE PROBLEM|featureCompatibilityVersion|IncompatibleServerVersion|unsupported WiredTiger/i.test(told))
    return `The data under ${root} was written by another MongoDB version than the mongod found now: use that version, or remove the directory to start empty (see ${logFile}).`;
  return cannot(reasons.at(-1) ?? (error instanceof Error ? error.message : String(error)));
}
