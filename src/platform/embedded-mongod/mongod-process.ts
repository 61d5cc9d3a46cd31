import { writeFile } from 'node:fs/promises';
import { MongoInstance, MongoInstanceEvents } from 'mongodb-memory-server-core/lib/util/MongoInstance.js';
import { ResolveConfigVariables, setDefaultValue } from 'mongodb-memory-server-core/lib/util/resolveConfig.js';
import { becomePrimary } from './become-primary.js';
import type { DataDirectory } from './data-directory.js';
import { type MongodSettings, mongodArguments } from './mongod-arguments.js';

/** A running mongod. The library's killer process stops it within three seconds after this process. */
export type MongodProcess = {
  pid: number;
  /** Resolves with the reason. */
  ended: Promise<string>;
  /** Sends SIGINT, and SIGKILL after ten seconds. Resolves when the process has exited. */
  stop: () => Promise<unknown>;
};

export type LaunchOptions = MongodSettings & { binary: string; port: number; password: string };

/** Recovery after a crash takes seconds; a mongod that cannot start exits. */
const START_TIMEOUT_MS = 300_000;

// `findMongodBinary` has checked the version.
setDefaultValue(ResolveConfigVariables.SYSTEM_BINARY_VERSION_CHECK, 'false');

/** Resolves when mongod is a writable primary. @throws Error with the reason from the log, after mongod has exited */
export async function launchMongod(directory: DataDirectory, options: LaunchOptions): Promise<MongodProcess> {
  const { binary, port, password } = options;
  const logOffset = await directory.rotateLog();
  const args = mongodArguments(directory, options);
  const instance = new MongoInstance({
    binary: { systemBinary: binary },
    instance: { ip: '127.0.0.1', port, dbPath: directory.dbPath, auth: true, args, launchTimeout: START_TIMEOUT_MS },
    // A Ctrl-C does not reach a session of its own. The application decides when mongod stops.
    spawn: { detached: true },
  });
  const end = new AbortController();
  const ended = new Promise<string>((resolve) =>
    instance.once(MongoInstanceEvents.instanceClosed, (code: number | null, signal: string | null) => {
      end.abort();
      const how = signal === null ? `exit code ${code}` : `killed by ${signal}`;
      const report = (why?: string): void => resolve(why === undefined ? how : `${how}: ${why}`);
      directory.readFailure(logOffset).then(report, () => report());
    }),
  );
  // The log file receives the ready line that the library expects, because a pipe would block mongod while this process is busy.
  const isPid = (pid: number): boolean => pid === instance.mongodProcess?.pid;
  becomePrimary(port, password, isPid, end.signal).then(
    () => instance.emit(MongoInstanceEvents.instanceReady),
    () => undefined,
  );
  try {
    await instance.start();
  } catch (error) {
    end.abort();
    await instance.stop();
    throw new Error((await directory.readFailure(logOffset)) ?? (error as Error).message, { cause: error });
  }
  const pid = instance.mongodProcess!.pid!;
  // Linux first divides the CPU among sessions (sched(7), autogroup). A tenth of the usual weight prevents background work of mongod from
  // slowing down cache hits; other kernels have no such file.
  await writeFile(`/proc/${pid}/autogroup`, '10').catch(() => undefined);
  return { pid, ended, stop: () => instance.stop() };
}
