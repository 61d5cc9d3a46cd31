import { hostname } from 'node:os';

const HOST = hostname();

export type LogFields = { level: string; role: string; context?: string; message: unknown } & Record<string, unknown>;

/** The fields of a line of the log in JSON, in this order. Undefined ones are left out of the text. */
export function logRecord({ level, role, context, message, ...more }: LogFields): Record<string, unknown> {
  // other systems have no level `log`
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
