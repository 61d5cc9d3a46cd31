import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import type { AppConfig } from '../../config/app-config.js';
import { logRecord } from '../../config/log-record.js';
import type { ProcessRole } from '../cluster/process-role.js';

/** Loggers of Nest's start-up lines, one per module and route; shown only with LOG_LEVEL=debug. */
const VERBOSE_CONTEXTS = new Set([
  'InstanceLoader',
  'RouterExplorer',
  'RoutesResolver',
  'NestFactory',
  'NestApplication',
]);

class ServerLogger extends ConsoleLogger {
  constructor(
    config: AppConfig,
    private readonly role: ProcessRole,
  ) {
    super({
      logLevels: config.logLevels,
      json: config.isLogJson,
      flattenParams: true,
      // By default Nest colors the output even without a terminal.
      colors: process.stdout.isTTY === true && config.hasColors,
    });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    if (VERBOSE_CONTEXTS.has(rest.at(-1) as string)) return super.debug(message, ...(rest as [string]));
    super.log(message, ...(rest as [string]));
  }

  protected override getJsonLogObject(...line: Parameters<ConsoleLogger['getJsonLogObject']>) {
    const { timestamp: _, ...fields } = super.getJsonLogObject(...line);
    return logRecord({ ...fields, role: this.role }) as ReturnType<ConsoleLogger['getJsonLogObject']>;
  }
}

/** Writes one JSON object per line in production, and colored text on a terminal. */
export function createLogger(config: AppConfig, role: ProcessRole): ConsoleLogger {
  return new ServerLogger(config, role);
}

/** The logger of CLI commands. Writes text to standard error, because standard output is reserved for results. */
class CommandLogger extends ConsoleLogger {
  override warn(message: unknown, ...rest: unknown[]): void {
    // A command reads whole collections, so slow queries are usual.
    if (rest.at(-1) !== 'SlowQuery') super.warn(message, ...(rest as [string]));
  }

  protected override printMessages(...line: Parameters<ConsoleLogger['printMessages']>): void {
    line[3] = 'stderr';
    super.printMessages(...line);
  }
}

export function createCommandLogger(config: AppConfig, logLevels: LogLevel[]): ConsoleLogger {
  return new CommandLogger({ logLevels, json: false, colors: process.stderr.isTTY === true && config.hasColors });
}
