import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register } from 'prom-client';
import type { AppConfig } from '../../config/app-config.js';
import { withWriterSocket } from '../../config/writer-socket.js';
import { ClusterHub } from './hub.js';
import type { DrainOptions } from './messages.js';
import { type CreateApp, RunningApp } from './running-app.js';
import { type RestartOutcome, Supervisor } from './supervisor.js';

/** The processes of a host that do the work, be it one or many. */
export type ProcessGroup = {
  /** resolves when all of them serve */
  start(): Promise<void>;
  stop(drain: DrainOptions): Promise<void>;
  /** ends them without asking */
  kill(): void;
  restart(drain: DrainOptions): Promise<RestartOutcome>;
};

export type GroupOptions = {
  config: AppConfig;
  environment: Record<string, string>;
  entry: string;
  create: CreateApp;
  log: (line: string) => void;
  onGiveUp: (reason: string) => void;
};

const READY_TIMEOUT_MS = 60_000;

export function createProcessGroup(options: GroupOptions): ProcessGroup {
  return options.config.http.workers === 1 ? createSingle(options) : createCluster(options);
}

function createCluster({ config, environment, entry, log, onGiveUp }: GroupOptions): ProcessGroup {
  const hub = new ClusterHub();
  hub.answer('metrics', () => register.getMetricsAsJSON());
  // of this user alone: a process that can write to the socket can write as any user
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-'));
  const supervisor = new Supervisor(hub, {
    entry,
    environment: withWriterSocket(environment, join(directory, 'writer')),
    readyTimeoutMs: READY_TIMEOUT_MS,
    silenceTimeoutMs: config.process.silenceTimeoutMs,
    workers: config.http.workers,
    hasJobs: config.jobs.isEnabled,
    log,
    onGiveUp,
  });
  return {
    start: () => supervisor.start(),
    stop: async (drain) => {
      await supervisor.stop(drain);
      rmSync(directory, { recursive: true, force: true });
    },
    kill: () => {
      supervisor.kill();
      rmSync(directory, { recursive: true, force: true });
    },
    restart: (drain) => supervisor.rollingRestart(drain),
  };
}

/** Everything in this process, for a debugger. */
function createSingle({ config, create }: GroupOptions): ProcessGroup {
  let starting: Promise<RunningApp> | undefined;
  return {
    start: async () => {
      starting = RunningApp.start(create, config.jobs.isEnabled ? 'all' : 'web', config);
      await starting;
    },
    stop: async (drain) => (await starting?.catch(() => undefined))?.stop(drain),
    kill: () => {},
    restart: async () => ({
      isDone: false,
      message: 'One process (HTTP_WORKERS=1) has nobody to take over; stop and start it.',
    }),
  };
}
