import { programText } from '../processes/program-text.js';

export type LogRotation = { maxBytes: number; keptFiles: number; checkEveryMs: number };

export interface KeeperSettings {
  binary: string;
  args: string[];
  /** holds `RunningMongod` as JSON while the server can be used by others */
  runningFile: string;
  port: number;
  stopTimeoutMs: number;
  log: LogRotation & { file: string };
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

/** The title of a keeper in the process list. */
export const KEEPER_TITLE = 'opencanvas-mongod-keeper';

/**
 * A small process between the application and mongod: restarts a mongod that died, and stops it when the application ends in any way.
 * It is passed to `node -e` as text, so it must use nothing from outside its body.
 */
/* istanbul ignore next: an instrumented body would refer to counters that do not exist over there */
function keepMongod(settings: KeeperSettings): void {
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
    const running: RunningMongod = { mongodPid: mongod.pid, keeperPid: process.pid, port: settings.port };
    writeFileSync(`${settings.runningFile}.new`, JSON.stringify(running));
    renameSync(`${settings.runningFile}.new`, settings.runningFile);
  };
  const end = (code: number | null, reason: string) => {
    rmSync(settings.runningFile, { force: true });
    tell({ type: 'gone', code, reason });
    // it ends by itself once the message is out; the timer covers a parent that no longer reads
    setTimeout(() => process.exit(0), 1_000).unref();
    if (process.connected) process.disconnect();
  };
  /** A log that is large enough becomes `.1`, and the oldest goes; true: mongod has to open a new one. */
  const rotateLog = (): boolean => {
    const { file, maxBytes, keptFiles } = settings.log;
    try {
      // mongod takes the signal once in a second and forgets the others
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
    const child = spawn(settings.binary, settings.args, { stdio: 'ignore' });
    mongod = child;
    // mongod opens its log again at this signal (--logRotate reopen), which ends one that is still starting
    const logCheck = setInterval(() => ready && rotateLog() && child.kill('SIGUSR1'), settings.log.checkEveryMs);
    let isOver = false;
    const over = (code: number | null, reason: string) => {
      if (isOver) return;
      isOver = true;
      clearInterval(logCheck);
      mongod = undefined;
      if (stopping || !ready) return end(code, reason);
      rmSync(settings.runningFile, { force: true });
      const now = Date.now();
      crashes = [...crashes.filter((at) => now - at < 60_000), now];
      // a broken data directory fails at every start
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
    rmSync(settings.runningFile, { force: true });
    if (!mongod) return;
    mongod.kill('SIGTERM');
    setTimeout(() => mongod?.kill('SIGKILL'), settings.stopTimeoutMs).unref();
  };

  try {
    // Linux shares the CPU among sessions first (sched(7), autogroup): this one gets a tenth of the usual weight, so that background
    // work of mongod does not slow down cache hits
    writeFileSync('/proc/self/autogroup', '10');
  } catch {
    // another kernel, or one that shares by control group
  }
  // Ctrl-C and a closing terminal signal the whole process group; the application decides on the order of the shutdown
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

/** The program text for `node -e`: the same from `dist`, from TypeScript under jest and from any working directory. */
export function keeperSource(settings: KeeperSettings): string {
  return `process.title = ${JSON.stringify(KEEPER_TITLE)};\n${programText(keepMongod, settings)}`;
}
