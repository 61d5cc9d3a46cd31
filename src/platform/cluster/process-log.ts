import cluster from 'node:cluster';
import { isJsonLog } from '../../config/app-config.js';
import { logRecord } from '../../config/log-record.js';
import { describeFailure } from './process-end.js';

/** The role is the process argument set by ManagedProcess. */
const role = cluster.isWorker ? process.argv[2]! : 'primary';

/** Writes a log line without Nest, in the same format. The primary does not load Nest. */
export function logInfo(message: string): void {
  if (!isJsonLog()) return console.log(`[${role}] ${message}`);
  process.stdout.write(`${JSON.stringify(logRecord({ level: 'info', role, message }))}\n`);
}

export function logError(error: unknown, level = 'error'): void {
  const reason = describeFailure(error);
  if (!isJsonLog()) return console.error(reason);
  const fields = reason instanceof Error ? { message: reason.message, stack: reason.stack } : { message: reason };
  process.stderr.write(`${JSON.stringify(logRecord({ level, role, ...fields }))}\n`);
}

/** Logs Node warnings and uncaught exceptions as JSON. An uncaught exception still ends the process. */
export function logInJson(): void {
  if (!isJsonLog()) return;
  process.removeAllListeners('warning');
  process.on('warning', (warning: Error & { code?: string }) => {
    if (!process.execArgv.includes(`--disable-warning=${warning.code}`)) logError(warning, 'warn');
  });
  process.on('uncaughtException', (error) => {
    logError(error, 'fatal');
    process.exit(1);
  });
}
