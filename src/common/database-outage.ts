import { CodedError } from './errors.js';

/** Names of driver and mongoose errors that concern the server or the connection, never the request. */
const NAMES = new RegExp(
  '^(Mongo(Network|ServerSelection|WaitQueue|Pool|NotConnected|Topology|ServerClosed|ClientClosed|OperationTimeout|Expired' +
    // WriteConcern: no majority has acknowledged the write. UnexpectedServerResponse: a retry during an election.
    '|WriteConcern|UnexpectedServerResponse)' +
    '|PoolCleared|MongooseServerSelection)',
);

/** Codes after which a read may be retried (retryable reads specification): not primary, stepping down, stopping, network of members. */
export const RETRYABLE_READ_CODES = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/**
 * Codes of a server that elects, steps down, stops, exceeds time, or has dropped an operation with its cursor, transaction or index.
 * A storage engine without space returns 8 until it stops (`ENOSPC` has no code); an engine without file descriptors returns 264.
 */
const CODES = new Set([
  ...RETRYABLE_READ_CODES,
  ...[8, 24, 43, 50, 64, 100, 112, 133, 175, 202, 225, 237, 239, 246, 251, 264, 290, 10058, 11601, 14031],
]);

/**
 * Labels of the server or the driver on errors that the statement did not cause. After `UnknownTransactionCommitResult` the transaction
 * may have been committed.
 */
const LABELS = ['TransientTransactionError', 'UnknownTransactionCommitResult', 'RetryableWriteError', 'RetryableError'];

type DriverError = Error & {
  code?: unknown;
  hasErrorLabel?: (label: string) => boolean;
  /** the error that ended a bulk write */
  errorResponse?: unknown;
};

/** Node's error codes of a write to a closed connection, which the driver does not wrap. */
const ENDED_SOCKET_CODES = [
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_SOCKET_CLOSED',
];

export function isEndedSocket(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && ENDED_SOCKET_CODES.includes(String((error as NodeJS.ErrnoException).code));
}

/** Whether the database was unavailable, so that a retry of the request may succeed. */
export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code, errorResponse } = error as DriverError;
  if (isEndedSocket(error) || NAMES.test(name)) return true;
  if (!name.startsWith('Mongo')) return false;
  if (typeof code === 'number' && CODES.has(code)) return true;
  if (LABELS.some((label) => (error as DriverError).hasErrorLabel?.(label) === true)) return true;
  return errorResponse instanceof Error && isDatabaseOutage(errorResponse);
}

/** Returns the error for a database outage. A write outside of a transaction may have succeeded without a reply. */
export function databaseUnavailable(cause: unknown): CodedError {
  const detail = 'The database does not respond. Send the request again.';
  return new CodedError('database_unavailable', detail, { retryAfterSeconds: 2, cause });
}
