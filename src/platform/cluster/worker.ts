import type { AppConfig } from '../../config/app-config.js';
import { reportMetrics } from './cluster-metrics.js';
import { type DrainOptions, onPrimaryMessage, sendToPrimary } from './ipc.js';
import type { ProfileOptions } from '../processes/take-profile.js';
import { ignoreClosedTerminal } from './process-end.js';
import type { ProcessRole } from './process-role.js';
import { logError } from './process-log.js';
import { type CreateApp, RunningApp } from './running-app.js';

/** Runs one process of the cluster. It stops on a message of the primary, on SIGTERM, and (through node:cluster) when the primary exits. */
export async function runWorker(role: ProcessRole, config: AppConfig, create: CreateApp): Promise<void> {
  ignoreClosedTerminal();
  let running: RunningApp | undefined;
  let isStopping = false;
  const stop = async (options: DrainOptions): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    await running?.stop(options).catch(logError);
    // Reports the metrics since the last report.
    await reportMetrics().catch(logError);
    process.exit(0);
  };
  onPrimaryMessage((message) => {
    if (message.type === 'drain') void stop(message.options);
    else if (message.type === 'beat') sendToPrimary({ type: 'alive' });
    else if (message.type === 'reportMetrics') void reportMetrics().catch(logError);
    else if (message.type === 'profile') void recordProfile(message.options);
  });
  // The terminal sends Ctrl-C and hangups to the whole process group. The primary decides when to stop.
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
  process.on('SIGUSR2', () => {});
  process.on('SIGTERM', () => {
    // The other processes still write. The primary stops the writer after them.
    if (role === 'writer') return;
    const { shutdownNoticeMs: noticeMs, shutdownTimeoutMs: deadlineMs } = config.http;
    void stop({ isReplaced: false, noticeMs, deadlineMs, idleGraceMs: 0 });
  });

  try {
    running = await RunningApp.start(create, role, config);
  } catch (error) {
    const isStartupError = error instanceof Error && error.name === 'StartupError';
    if (!isStartupError) logError(error);
    else await new Promise<void>((resolve) => sendToPrimary({ type: 'refused', message: error.message }, resolve));
    process.exit(1);
  }
  if (!isStopping) sendToPrimary({ type: 'ready' });
}

async function recordProfile(options: ProfileOptions): Promise<void> {
  try {
    await (await import('../processes/take-profile.js')).takeProfile(options);
    sendToPrimary({ type: 'profiled' });
  } catch (error) {
    sendToPrimary({ type: 'profiled', error: (error as Error).message });
  }
}
