import { join } from 'node:path';
import type { AppConfig } from '../../config/app-config.js';
import { describeMachine } from '../../config/machine.js';
import { fullVersion } from '../../config/package-version.js';
import { httpAddress } from '../../common/networks.js';
import { ControlSocket, type ProfiledProcess } from './control-socket.js';
import { type HostRecord, deleteHostRecord, writeHostRecord } from './host-record.js';
import { readProcessInfo } from '../processes/process-info.js';
import { takeProfile } from '../processes/take-profile.js';
import { type Host, startHost } from './host-start.js';
import type { DrainOptions } from './ipc.js';
import { type CreateApp, RunningApp } from './running-app.js';
import { exportSupervision } from '../prometheus/process-metrics.js';
import { ignoreClosedTerminal, onStopSignal } from './process-end.js';
import { logError, logInfo as log } from './process-log.js';
import { type GroupOptions, type RestartOutcome, Supervisor } from './supervisor.js';

export type PrimaryOptions = {
  config: AppConfig;
  /** the script of the workers; its only argument is the role */
  entry: string;
  create: CreateApp;
  /** Runs when the database is available, before any process serves requests. */
  prepare?: (host: Host) => Promise<void>;
  /** Runs when all processes are ready. */
  announce?: (host: Host) => Promise<void>;
};

/** Maximum idle time of a keep-alive connection in a replaced process, so that its client gets `Connection: close` in a response. */
const HANDOVER_GRACE_MS = 1_500;

/** The first process of a host. Starts the database before the other processes, restarts them, and stops the database last. */
export class Primary {
  private host: Host | undefined;
  private group: ProcessGroup | undefined;
  private control: ControlSocket | undefined;
  /** undefined until all processes are ready */
  private record: HostRecord | undefined;
  private stopping: Promise<void> | undefined;

  constructor(readonly options: PrimaryOptions) {}

  /** Resolves when all processes are ready. @throws StartupError after stopping all processes */
  async run(): Promise<void> {
    const { config, prepare, announce } = this.options;
    ignoreClosedTerminal();
    onStopSignal(
      (signal) => void this.exit(0, `${signal}: finishing what is in flight, then stopping; once more stops at once`),
      () => this.exitNow(),
    );
    // Registered early, because Node exits on SIGUSR2 by default.
    process.on('SIGUSR2', () => this.restart());
    log(`opencanvas-api ${fullVersion()} on Node ${process.versions.node}`);
    try {
      this.host = await startHost(config, log);
      await prepare?.(this.host);
      // A stop signal arrived during the start: exit when mongod has stopped.
      if (this.stopping !== undefined) return await this.stopping;
      this.group = createProcessGroup({
        ...this.options,
        config: this.host.config,
        environment: this.host.environment,
        log,
        onCrashLoop: (reason) => void this.exit(1, reason),
      });
      await this.group.start();
      await this.writeRecord();
      await announce?.(this.host);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  private async writeRecord(): Promise<void> {
    const { http, mongo, machine } = this.host!.config;
    this.control = await ControlSocket.open(() => this.group!.profiled, join(mongo.dataDir, 'profiles'));
    this.record = {
      pid: process.pid,
      processStartTime: (await readProcessInfo(process.pid))?.startTime,
      host: http.host,
      port: http.port,
      startedAt: new Date().toISOString(),
      control: this.control?.path,
    };
    writeHostRecord(mongo.dataDir, this.record);
    const processes = http.workers === 1 ? 'process' : 'web workers';
    const reason = this.options.config.http.isWorkersExplicit ? '' : ` (${describeMachine(machine)})`;
    log(`Serving ${httpAddress(http.host, http.port)} with ${http.workers} ${processes}${reason}`);
  }

  private restart(): void {
    const { record } = this;
    if (record === undefined) return log('SIGUSR2: the server is still starting, so nothing is restarted');
    const { http, mongo } = this.host!.config;
    const requestedAt = new Date().toISOString();
    const drain = { isReplaced: true, noticeMs: 0, deadlineMs: http.shutdownTimeoutMs, idleGraceMs: HANDOVER_GRACE_MS };
    void this.group!.restart(drain).then((outcome) => {
      log(outcome.message);
      writeHostRecord(mongo.dataDir, { ...record, restart: { ...outcome, requestedAt } });
    });
  }

  private stop(): Promise<void> {
    const { shutdownNoticeMs: noticeMs, shutdownTimeoutMs: deadlineMs } = this.options.config.http;
    const drain: DrainOptions = { isReplaced: false, noticeMs, deadlineMs, idleGraceMs: 0 };
    this.stopping ??= (async () => {
      this.control?.close();
      await this.group?.stop(drain);
      await this.host?.mongod?.stop();
      deleteHostRecord(this.options.config.mongo.dataDir, process.pid);
    })();
    return this.stopping;
  }

  private async exit(code: number, reason: string): Promise<void> {
    log(reason);
    await this.stop().catch(logError);
    process.exit(code);
  }

  /** Exits immediately. A watchdog stops the embedded mongod within seconds after this process. */
  private exitNow(): void {
    this.control?.close();
    this.group?.kill();
    deleteHostRecord(this.options.config.mongo.dataDir, process.pid);
    process.exit(1);
  }
}

/** All processes of a host that serve requests or run jobs. */
type ProcessGroup = {
  readonly profiled: ProfiledProcess[];
  /** Resolves when all of them are ready. */
  start(): Promise<void>;
  stop(drain: DrainOptions): Promise<void>;
  /** Exits without draining. */
  kill(): void;
  restart(drain: DrainOptions): Promise<RestartOutcome>;
};

function createProcessGroup(options: GroupOptions & { create: CreateApp }): ProcessGroup {
  return options.config.http.workers === 1 ? createSingle(options) : new Supervisor(options);
}

/** Runs all roles in this process, for debugging. */
function createSingle({ config, create }: GroupOptions & { create: CreateApp }): ProcessGroup {
  let starting: Promise<RunningApp> | undefined;
  const role = config.jobs.isEnabled ? 'all' : 'web';
  return {
    profiled: [{ name: role, pid: process.pid, profile: takeProfile }],
    start: async () => {
      starting = RunningApp.start(create, role, config);
      exportSupervision(() => [{ name: role, isUp: true, restarts: 0 }]);
      await starting;
    },
    stop: async (drain) => (await starting?.catch(() => undefined))?.stop(drain),
    kill: () => {},
    restart: async () => ({
      isDone: false,
      message: 'One process (HTTP_WORKERS=1) has no replacement; stop and start it.',
    }),
  };
}
