import { CodedError, type ErrorExtras } from '../../common/errors.js';

const STATES = {
  account_suspended: 'Your account is suspended: it may read, but not write',
  account_banned: 'This account is banned',
};

/** Returns the error of a suspended or banned account. @param until null: without an end */
export function restricted(code: keyof typeof STATES, until: Date | null, extras: ErrorExtras = {}): CodedError {
  const end = until === null ? '' : `, until ${until.toISOString()}`;
  return new CodedError(code, `${STATES[code]}${end}.`, extras);
}
