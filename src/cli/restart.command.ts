import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { StartupError } from '../common/errors.js';
import { loadConfig } from '../config/app-config.js';
import { type HostRecord, readHostRecords } from '../platform/cluster/host-record.js';
import { findServer } from './find-server.js';
import { positive, wholeNumber } from './numbers.js';

const POLL_MS = 100;

/** Replaces the processes of a running server one by one, without failed requests; exit code 1 if the old processes stay. */
export function restartCommand(): Command {
  return new Command('restart')
    .description('restart the server of this data directory without downtime')
    .option('--port <port>', 'port of the server, if several share the data directory', wholeNumber)
    .option('--timeout <seconds>', 'maximum wait', positive, 300)
    .action(async ({ port, timeout }: { port?: number; timeout: number }) => {
      const { dataDir } = loadConfig().mongo;
      const server = await findServer(dataDir, port);
      const requestedAt = new Date().toISOString();
      process.kill(server.pid, 'SIGUSR2');
      const outcome = await waitForOutcome(dataDir, server.pid, requestedAt, timeout * 1_000);
      console.log(outcome.message);
      if (!outcome.isDone) process.exitCode = 1;
    });
}

async function waitForOutcome(
  dataDir: string,
  pid: number,
  requestedAt: string,
  timeoutMs: number,
): Promise<NonNullable<HostRecord['restart']>> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const record = (await readHostRecords(dataDir)).find((candidate) => candidate.pid === pid);
    if (record === undefined) throw new StartupError('The server exited during the restart.');
    if (record.restart !== undefined && record.restart.requestedAt >= requestedAt) return record.restart;
    await sleep(POLL_MS);
  }
  throw new StartupError('The server did not report the end of the restart in time; see its log.');
}
