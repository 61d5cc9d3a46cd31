import { Logger } from '@nestjs/common';
import type { AppConfig } from '../../config/app-config.js';

export type LoggedRequest = {
  id: string | undefined;
  method: string;
  /** the pattern, never the URL: that may contain names, tokens and addresses */
  route: string;
  status: number;
  ms: number;
};

/** Logs failed and slow requests, and a share of the others; at LOG_LEVEL=debug all. The logger adds time, role, host and pid. */
export class RequestLog {
  private readonly logger = new Logger('Request');
  private readonly isDebug: boolean;
  private readonly slowMs: number;
  private readonly share: number;

  constructor({ requestLog, logLevels }: AppConfig) {
    this.isDebug = logLevels.includes('debug');
    this.slowMs = requestLog.slowMs;
    this.share = requestLog.share;
  }

  record(request: LoggedRequest): void {
    if (request.status >= 500 || request.ms >= this.slowMs) this.write('warn', request);
    else if (!this.sample(request) && this.isDebug) this.write('debug', request);
  }

  /** Logs the request if it is one of the share. */
  sample(request: LoggedRequest): boolean {
    const isChosen = Math.random() < this.share;
    if (isChosen) this.write('log', request);
    return isChosen;
  }

  private write(level: 'warn' | 'log' | 'debug', { id: requestId, method, route, status, ms }: LoggedRequest): void {
    const shownMs = Math.round(ms * 10) / 10;
    this.logger[level](`${method} ${route} ${status} ${shownMs.toFixed(1)} ms`, {
      requestId,
      method,
      route,
      status,
      ms: shownMs,
    });
  }
}
