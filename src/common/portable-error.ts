import { databaseUnavailable, isDatabaseOutage } from './database-outage.js';
import { CodedError, type ErrorCode, type FieldError } from './errors.js';

/** An error as plain data, for another process. */
export type PortableError = {
  name: string;
  message: string;
  code?: ErrorCode;
  fields?: FieldError[] | undefined;
  retryAfterSeconds?: number | undefined;
  stack?: string | undefined;
};

/** Sends an outage of the driver as its coded error, because error classes do not survive IPC. */
export function toPortable(thrown: unknown): PortableError {
  const error = isDatabaseOutage(thrown) ? databaseUnavailable(thrown) : thrown;
  if (error instanceof CodedError) {
    const { name, message, code, fields, retryAfterSeconds } = error;
    return { name, message, code, fields, retryAfterSeconds };
  }
  if (error instanceof Error) return { name: error.name, message: error.message, stack: error.stack };
  return { name: 'Error', message: String(error) };
}

export function fromPortable({ name, message, code, stack, ...extras }: PortableError): Error {
  if (code !== undefined) return new CodedError(code, message, extras);
  // Restores the original stack, for the log.
  return Object.assign(new Error(message), { name, stack });
}
