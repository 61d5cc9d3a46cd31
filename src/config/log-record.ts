import { hostname } from 'node:os';

const HOST = hostname();

export type LogFields = { level: string; role: string; context?: string; message: unknown } & Record<string, unknown>;

/** Returns the fields of a JSON log line, in this order. The text omits undefined fields. */
export function logRecord({ level, role, context, message, ...more }: LogFields): Record<string, unknown> {
  // Other systems have no level `log`.
  const known = level === 'log' ? 'info' : level;
  return {
    time: new Date().toISOString(),
    level: known,
    role,
    host: HOST,
    pid: process.pid,
    context,
    message,
    ...more,
  };
}
