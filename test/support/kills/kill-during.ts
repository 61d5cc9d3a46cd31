import { differences } from '../audit.js';
import type { Server } from '../server.js';
import { until } from '../until.js';

type Role = 'web' | 'jobs' | 'writer';

export type Work = {
  /** Loads the processes, at least until `isOver`. Resolves when all writes were acknowledged. */
  work: (isOver: () => boolean) => Promise<void>;
  /** Returns whether a process is in the middle of its work. @param kill number of earlier kills */
  until: (kill: number) => Promise<boolean> | boolean;
  /** Waits for the end and compares the rows with the acknowledged writes. */
  check: () => Promise<void>;
};

export type KillCase = {
  name: string;
  /** Killed processes, in order. */
  kills: Role[];
  of: (server: Server) => Promise<Work> | Work;
};

/** Kills all processes of a role repeatedly during some work. Afterwards nothing may be lost, and every counter must be exact. */
export async function killDuring(server: Server, { kills, of }: KillCase): Promise<void> {
  const { host, db } = server;
  const { work, until: isUnderWay, check } = await of(server);
  let isOver = false;
  const killAll = async (): Promise<void> => {
    for (const [kill, role] of kills.entries()) {
      await until(() => host.readyWorkers(role).length > 0 || null);
      await until(
        async () => (await isUnderWay(kill)) || null,
        () => `kill ${kill + 1}: nothing was under way`,
      );
      const pids = host.workers(role);
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await until(() => !host.workers(role).some((pid) => pids.includes(pid)) || null);
    }
  };
  await Promise.all([work(() => isOver), killAll().finally(() => (isOver = true))]);
  await until(
    () => host.readyWorkers('web').length > 0 || null,
    () => host.output,
  );
  await check();
  expect(await differences(db)).toEqual([]);
}
