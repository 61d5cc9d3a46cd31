import { CodedError, StartupError } from '../common/errors.js';
import { MAX_PUBLIC_REASON } from '../moderation/action-texts.js';

const REFUSALS = new Set([
  ...['last_admin', 'invalid_expiry', 'too_many_invites', 'standing_unchanged'],
  ...['appeal_not_found', 'appeal_decided'],
  ...['invalid_archive', 'body_too_large', 'import_running', 'import_not_found'],
]);

/** Converts a refusal to one line for the operator. */
export function asReason(error: unknown): never {
  if (error instanceof CodedError && REFUSALS.has(error.code)) throw new StartupError(error.message, error);
  throw error;
}

/** @throws StartupError for a reason that the log does not accept */
export function requireReason(reason: string): void {
  if (reason.trim() === '' || reason.length > MAX_PUBLIC_REASON)
    throw new StartupError(`--reason must be 1 to ${MAX_PUBLIC_REASON} characters.`);
}
