import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../../common/errors.js';
import type { AppConfig } from '../../config/app-config.js';
import { ensureHome } from '../../config/process-variables.js';
import { signalProcess } from '../processes/process-info.js';
import { tryPort } from '../processes/try-port.js';
import { MONGOD_ACCOUNT } from './become-primary.js';
import { DataDirectory } from './data-directory.js';
import { type MongodSettings, REPLICA_SET_NAME } from './mongod-arguments.js';
import { findMongodBinary } from './mongod-binary.js';
import { launchMongod, type MongodProcess } from './mongod-process.js';

export type EmbeddedMongodOptions = MongodSettings & {
  binary: string;
  /** survives restarts; contains the data, the log, the port and the password */
  dataDir: string;
  /** Called when mongod has exited, and when it runs again. */
  onTrouble?: (line: string) => void;
};

/** The time for a mongod of another process to start or stop. */
const SETTLE_TIMEOUT_MS = 60_000;
/** A mongod with this limit holds all collections and indexes of a new database. */
const MIN_OPEN_FILES = 1_024;
const RESTART_PAUSE_MS = 500;
const POLL_MS = 50;

/** Starts the embedded server of the configuration, with its data under `<DATA_DIR>/mongo`; only without `config.mongo.uri`. */
export async function startEmbeddedMongod(
  { mongo }: Pick<AppConfig, 'mongo'>,
  { onProgress, onTrouble }: { onProgress: (line: string) => void; onTrouble?: (line: string) => void },
): Promise<EmbeddedMongod> {
  ensureHome(mongo.dataDir);
  requireOpenFiles(await readFile('/proc/self/limits', 'utf8').catch(() => ''));
  const { path: binary } = await findMongodBinary({ binary: mongo.binary, onProgress });
  return EmbeddedMongod.start({ binary, dataDir: join(mongo.dataDir, 'mongo'), cacheSizeGB: mongo.cacheGb, onTrouble });
}

/**
 * A one-node replica set on 127.0.0.1 that stops with this process. Beyond mongodb-memory-server-core, it restarts a crashed mongod,
 * retains its data, and shares the mongod of another process of this project on the same directory, which `stop` does not stop.
 */
export class EmbeddedMongod {
  private mongod: MongodProcess | undefined;
  private isStopping = false;
  private keeping: Promise<void> | undefined;

  private constructor(
    private readonly options: EmbeddedMongodOptions,
    private readonly directory: DataDirectory,
    readonly port: number,
    private readonly password: string,
    /** pid of the process that started mongod */
    readonly ownerPid: number,
  ) {}

  get isShared(): boolean {
    return this.mongod === undefined;
  }

  /** Contains the password: for environments of child processes, never for a command line or a log. */
  get uri(): string {
    return `mongodb://${MONGOD_ACCOUNT}:${this.password}@127.0.0.1:${this.port}/?replicaSet=${REPLICA_SET_NAME}`;
  }

  /** pid of mongod, which a restart changes; undefined for a shared mongod */
  get mongodPid(): number | undefined {
    return this.mongod?.pid;
  }

  /** Resolves when a primary accepts writes. @throws StartupError with one sentence */
  static async start(options: EmbeddedMongodOptions): Promise<EmbeddedMongod> {
    const directory = await DataDirectory.open(options.dataDir);
    const deadline = performance.now() + SETTLE_TIMEOUT_MS;
    for (;;) {
      const owner = await awaitOwner(directory, deadline);
      const password = await directory.ensurePassword();
      const wantedPort = await directory.readPort();
      if (owner !== null) return new EmbeddedMongod(options, directory, wantedPort, password, owner);
      const ports = [await tryPort('127.0.0.1', wantedPort), await tryPort('127.0.0.1', 0)];
      const port = ports.find((one) => typeof one === 'number')!;
      const embedded = new EmbeddedMongod(options, directory, port, password, process.pid);
      try {
        embedded.mongod = await embedded.launch();
        embedded.keeping = embedded.keepRunning(embedded.mongod);
        return embedded;
      } catch (error) {
        const reason = (error as Error).message;
        // Another process was faster.
        if (/DBPathInUse|already in use/i.test(reason) && performance.now() < deadline) continue;
        throw new StartupError(`The embedded MongoDB cannot start: ${reason} (see ${directory.logFile}).`, error);
      }
    }
  }

  async stop(): Promise<void> {
    if (this.keeping === undefined) return;
    this.isStopping = true;
    await this.directory.deleteOwner();
    await this.mongod?.stop();
    await this.keeping;
  }

  private async launch(): Promise<MongodProcess> {
    const { directory, options, port, password } = this;
    const mongod = await launchMongod(directory, { ...options, port, password });
    try {
      await directory.writeOwner(process.pid, port);
      return mongod;
    } catch (error) {
      await mongod.stop();
      throw error;
    }
  }

  private async keepRunning(mongod: MongodProcess): Promise<void> {
    const { onTrouble = () => {} } = this.options;
    for (;;) {
      const reason = await mongod.ended;
      if (this.isStopping) return;
      onTrouble(`ended (${reason}), restarting it`);
      let next: MongodProcess | undefined;
      while (next === undefined) {
        await sleep(RESTART_PAUSE_MS);
        if (this.isStopping) return;
        next = await this.launch().catch(() => undefined);
      }
      this.mongod = mongod = next;
      if (this.isStopping) await mongod.stop();
      else onTrouble(`started again (pid ${mongod.pid})`);
    }
  }
}

/** @throws StartupError if mongod would abort, which it does without a reason in its log. @param limits of proc(5); empty on other systems */
export function requireOpenFiles(limits: string): void {
  const open = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  if (open >= MIN_OPEN_FILES) return;
  throw new StartupError(
    `This process may open ${open} files, and the embedded MongoDB needs at least ${MIN_OPEN_FILES}: raise the limit ` +
      '(ulimit -n 64000, LimitNOFILE= in a systemd unit).',
  );
}

/**
 * Returns the process that runs a mongod on this directory, or null once the directory is free. Waits for a mongod that is starting or
 * stopping, and stops a mongod whose process was killed together with the library's killer.
 */
async function awaitOwner(directory: DataDirectory, deadline: number): Promise<number | null> {
  for (;;) {
    const mongod = await directory.findMongod();
    const owner = await directory.readOwner();
    if (mongod === null) {
      await directory.deleteOwner();
      return null;
    }
    if (owner === mongod.parentPid) return owner;
    if (performance.now() > deadline)
      throw new StartupError(
        `The data directory ${directory.root} is in use by a mongod (pid ${mongod.pid}): stop it.`,
      );
    if (owner !== 0) signalProcess(mongod.pid, 'SIGTERM');
    await sleep(POLL_MS);
  }
}
