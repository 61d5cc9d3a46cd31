import type { DrainOptions } from './messages.js';
import { type CreateApp, RunningApp } from './running-app.js';
import { type GroupOptions, type RestartOutcome, Supervisor } from './supervisor.js';

/** The working processes of a host, one or many. */
export type ProcessGroup = {
  /** resolves when all of them serve */
  start(): Promise<void>;
  stop(drain: DrainOptions): Promise<void>;
  /** exits without draining */
  kill(): void;
  restart(drain: DrainOptions): Promise<RestartOutcome>;
};

export function createProcessGroup(options: GroupOptions & { create: CreateApp }): ProcessGroup {
  return options.config.http.workers === 1 ? createSingle(options) : new Supervisor(options);
}

/** Everything in this process, for a debugger. */
function createSingle({ config, create }: GroupOptions & { create: CreateApp }): ProcessGroup {
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
      message: 'One process (HTTP_WORKERS=1) has no other to take over; stop and start it.',
    }),
  };
}
