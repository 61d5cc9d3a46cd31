import { ConsoleLogger } from '@nestjs/common';
import type { AppConfig } from '../../config/app-config.js';

/** Nest's own start-up lines: one per module and route. */
const SILENT_CONTEXTS = new Set([
  'InstanceLoader',
  'RouterExplorer',
  'RoutesResolver',
  'NestFactory',
  'NestApplication',
]);

class QuietLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (SILENT_CONTEXTS.has(rest.at(-1) as string)) return;
    super.log(message, ...(rest as [string]));
  }
}

/** One JSON object a line in production, coloured text for people. */
export function createLogger(config: AppConfig): ConsoleLogger {
  return new QuietLogger({
    logLevels: config.logLevels,
    json: config.isProduction,
    // left undefined, Nest would colour a file, too
    colors: process.stdout.isTTY === true && config.hasColors,
  });
}
