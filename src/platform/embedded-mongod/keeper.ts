export interface KeeperOptions {
  binary: string;
  args: string[];
  /** holds `RunningMongod` as JSON while the server can be used by others */
  runningFile: string;
  port: number;
  stopTimeoutMs: number;
  log: { file: string; maxBytes: number; keptFiles: number; checkEveryMs: number };
}

export interface RunningMongod {
  mongodPid: number;
  keeperPid: number;
  port: number;
}

export type KeeperMessage =
  | { type: 'started'; pid: number }
  | { type: 'restarting'; reason: string }
  | { type: 'gone'; code: number | null; reason: string };

/** How a keeper is known among the processes of the machine. */
export const KEEPER_TITLE = 'opencanvas-mongod-keeper';

/**
 * The whole program of the keeper: a small process between the application and mongod, which outlives every way the
 * application can die by just long enough to shut mongod down (the IPC channel closes, also after SIGKILL), and which restarts a mongod that died.
 *
 * It is passed to `node -e` as text (see `keeperSource`), so it must not use anything from outside of its own body.
 */
/* istanbul ignore next: an instrumented body would refer to counters that do not exist over there */
function keepMongod(options: KeeperOptions): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { existsSync, renameSync, rmSync, statSync, writeFileSync } = process.getBuiltinModule('node:fs');
  let mongod: ReturnType<typeof spawn> | undefined;
  let ready = false;
  let stopping = false;
  let crashes: number[] = [];

  const tell = (message: KeeperMessage) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };
  const publish = () => {
    if (!ready || stopping || !mongod?.pid) return;
    const running: RunningMongod = { mongodPid: mongod.pid, keeperPid: process.pid, port: options.port };
    writeFileSync(`${options.runningFile}.new`, JSON.stringify(running));
    renameSync(`${options.runningFile}.new`, options.runningFile);
  };
  const end = (code: number | null, reason: string) => {
    rmSync(options.runningFile, { force: true });
    tell({ type: 'gone', code, reason });
    // Leaves by itself once the message is out; the timer covers a parent that no longer reads.
    setTimeout(() => process.exit(0), 1_000).unref();
    if (process.connected) process.disconnect();
  };
  /** A log that is large enough becomes `.1`, and the oldest goes; true: mongod has to open a new one. */
  const rotateLog = (): boolean => {
    const { file, maxBytes, keptFiles } = options.log;
    try {
      // it takes the signal once in a second and forgets the others
      if (!existsSync(file)) return true;
      if (statSync(file).size < maxBytes) return false;
      for (let age = keptFiles - 1; age >= 1; age--)
        if (existsSync(`${file}.${age}`)) renameSync(`${file}.${age}`, `${file}.${age + 1}`);
      renameSync(file, `${file}.1`);
      return true;
    } catch {
      return false;
    }
  };
  const launch = () => {
    if (stopping) return end(0, 'stopped');
    rotateLog();
    const child = spawn(options.binary, options.args, { stdio: 'ignore' });
    mongod = child;
    // mongod opens its log again at this signal (--logRotate reopen)
    const logCheck = setInterval(() => rotateLog() && child.kill('SIGUSR1'), options.log.checkEveryMs);
    let isOver = false;
    const over = (code: number | null, reason: string) => {
      if (isOver) return;
      isOver = true;
      clearInterval(logCheck);
      mongod = undefined;
      if (stopping || !ready) return end(code, reason);
      rmSync(options.runningFile, { force: true });
      const now = Date.now();
      crashes = [...crashes.filter((at) => now - at < 60_000), now];
      // A ledger test kills it more than once a minute on purpose; a data directory that is broken fails at every start.
      if (crashes.length > 20) return end(code, `${reason}, again and again`);
      tell({ type: 'restarting', reason });
      setTimeout(launch, Math.min(100 * crashes.length, 2_000));
    };
    child.once('error', (error) => over(null, error.message));
    child.once('exit', (code, signal) => over(code, signal ? `killed by ${signal}` : `exit code ${code}`));
    if (!child.pid) return;
    tell({ type: 'started', pid: child.pid });
    publish();
  };
  const stop = () => {
    if (stopping) return;
    stopping = true;
    rmSync(options.runningFile, { force: true });
    if (!mongod) return;
    mongod.kill('SIGTERM');
    setTimeout(() => mongod?.kill('SIGKILL'), options.stopTimeoutMs).unref();
  };

  try {
    // Where the kernel shares the CPU out by session, this one (ours and mongod's) gets a tenth of the weight of one that serves:
    // what the database does in the background is not felt by reads that need nothing of it (docs/experiments.md).
    writeFileSync('/proc/self/autogroup', '10');
  } catch {
    // another kernel, or one that shares by control group
  }
  // Ctrl-C and a closing terminal signal the whole process group; the order of shutdown is the application's to decide.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  process.on('SIGTERM', stop);
  process.on('disconnect', stop);
  process.on('message', (message: unknown) => {
    if (message === 'stop') stop();
    if (message === 'ready') {
      ready = true;
      publish();
    }
  });
  launch();
}

/** The program text for `node -e`: runs the same from `dist`, from TypeScript under jest and from any working directory. */
export function keeperSource(options: KeeperOptions): string {
  return `process.title = ${JSON.stringify(KEEPER_TITLE)};\n(${keepMongod.toString()})(${JSON.stringify(options)});`;
}
