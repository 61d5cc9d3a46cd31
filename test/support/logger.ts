import type { Logger } from '@nestjs/common';
import { ModerationLogService } from '../../src/moderation/moderation-log.service.js';
import type { TestApp } from './app.js';

/** The prototype of all loggers of an app. A bundle has its own class. */
export function loggerOf({ app }: Pick<TestApp, 'app'>): Logger {
  return Object.getPrototypeOf(app.get<any>(ModerationLogService).logger) as Logger;
}
