import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, WAIT_MS } from './until.js';

/** The directory of package.json, also for the benchmark, which runs the build of this file in dist/test/support. */
export const ROOT = join(
  import.meta.dirname,
  import.meta.dirname.endsWith('/dist/test/support') ? '../../..' : '../..',
);
const MARKER = 'OPENCANVAS_TEST_HOST';

/** A server with its child processes, started as an operator starts it. */
export class SpawnedHost {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'opencanvas-host-'));
  private readonly marker = randomBytes(8).toString('hex');
  private child: ChildProcess | undefined;
  private text = '';
  private firstReady = new Set<number>();
  private hasEnded = false;
  private ended: Promise<number | string> = Promise.resolve(0);

  constructor(
    private readonly script: string,
    private readonly environment: Record<string, string | undefined> = {},
    /** only for root: the host runs as this user, without an entry in the passwd file */
    private readonly uid?: number,
  ) {
    if (uid !== undefined) chownSync(this.dataDir, uid, uid);
  }

  /** Can be called again after the exit, because the data directory stays. */
  start(overrides: Record<string, string> = {}): void {
    this.text = '';
    const child = spawn(process.execPath, [join(ROOT, this.script)], {
      cwd: ROOT,
      // The host gets its own session, like one of a terminal.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.childEnvironment(overrides),
      ...(this.uid === undefined ? {} : { uid: this.uid, gid: this.uid }),
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (this.text += String(chunk)));
    this.hasEnded = false;
    this.ended = new Promise((resolve) =>
      child.once('close', (code, signal) => {
        this.hasEnded = this.child === child;
        resolve(code ?? signal ?? 0);
      }),
    );
    this.child = child;
  }

  /** Returns the environment of the host, also for commands that need the same configuration. */
  childEnvironment(overrides: Record<string, string> = {}): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(npm_|JEST_|NODE_ENV|HTTP_|MONGODB_)/.test(name),
    );
    return {
      ...Object.fromEntries(inherited),
      DATA_DIR: this.dataDir,
      HTTP_PORT: '0',
      HTTP_WORKERS: '2',
      LOG_LEVEL: 'error',
      SEARCH: 'off',
      // The test machine may be busy.
      PROCESS_LOW_PRIORITY: 'false',
      HTTP_MAX_EVENT_LOOP_DELAY_MS: '60000',
      HTTP_MAX_WAIT_MS: '60000',
      ...this.environment,
      ...overrides,
      [MARKER]: this.marker,
    };
  }

  get output(): string {
    return this.text;
  }

  get pid(): number {
    return this.child!.pid!;
  }

  /** Returns the URL after the host has started to serve. */
  async url(): Promise<string> {
    const url = (await this.untilOutput(/Serving (http:\S+)/))[1]!;
    this.firstReady = new Set([...this.workers('web'), ...this.workers('jobs'), ...this.workers('writer')]);
    return url;
  }

  async untilOutput(pattern: RegExp): Promise<RegExpExecArray> {
    const explain = (): string => `no ${pattern.source} in:\n${this.text}`;
    return until(() => {
      const found = pattern.exec(this.text);
      if (found === null && this.hasEnded) throw new Error(explain());
      return found;
    }, explain);
  }

  /** Returns the exit code, or the signal that killed the host. */
  async exit(): Promise<number | string> {
    const timeout = new Promise<never>((_resolve, reject) =>
      setTimeout(() => reject(new Error(`still running:\n${this.text}`)), WAIT_MS).unref(),
    );
    return Promise.race([this.ended, timeout]);
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.pid, name);
  }

  /** Sends a signal to every process of the session, as a terminal does. */
  signalGroup(name: NodeJS.Signals): void {
    process.kill(-this.pid, name);
  }

  /** Returns all processes that this host has started, including orphans. */
  processes(): { pid: number; command: string }[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(`${MARKER}=${this.marker}`)) return [];
          return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
        } catch {
          return [];
        }
      });
  }

  workers(role: 'web' | 'jobs' | 'writer'): number[] {
    return this.processes()
      .filter(({ command }) => command.trimEnd().endsWith(`js ${role}`))
      .map(({ pid }) => pid);
  }

  /** Returns the workers that the primary has reported as ready, after `url`. */
  readyWorkers(role: 'web' | 'jobs' | 'writer'): number[] {
    return this.workers(role).filter((pid) => this.firstReady.has(pid) || this.text.includes(`(pid ${pid}) is ready`));
  }

  async untilGone(): Promise<void> {
    await until(
      () => (this.processes().length === 0 ? true : null),
      () => `left behind: ${JSON.stringify(this.processes())}`,
    );
  }

  /** Kills all processes that a failed test has left. */
  async remove(): Promise<void> {
    for (const { pid } of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has already exited.
      }
    }
    await this.untilGone();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
