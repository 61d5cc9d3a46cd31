import type { TokenKind } from './one-time-tokens.service.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Its holder may set a password; good while the account has the address it was sent to. */
export const PASSWORD_RESET: TokenKind<{ email: string }> = { name: 'password-reset', ttlMs: 30 * MINUTE_MS };

/** Its holder reads the mail of `email`; good while the account has the address `from`. The two differ where it is to change. */
export const EMAIL_CONFIRMATION: TokenKind<{ from: string; email: string }> = {
  name: 'email-confirmation',
  ttlMs: 24 * HOUR_MS,
};

/** Its holder may take back the address before. It outlives a changed password: a thief would change that first. */
export const EMAIL_UNDO: TokenKind<{ email: string }> = { name: 'email-undo', ttlMs: 72 * HOUR_MS };
