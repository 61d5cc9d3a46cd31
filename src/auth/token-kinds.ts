import type { TokenKind } from './one-time-tokens.service.js';

const HOUR_MS = 3_600_000;

/**
 * Its holder may set a password; good while the account has the address it was sent to. It is valid for as long as the mails of a kind are
 * counted: others who ask for all that an address gets leave its owner with links that are good until there is another one.
 */
export const PASSWORD_RESET: TokenKind<{ email: string }> = { name: 'password-reset', ttlMs: HOUR_MS };

/** Its holder reads the mail of `email`; good while the account has the address `from`. The two differ where it is to change. */
export const EMAIL_CONFIRMATION: TokenKind<{ from: string; email: string }> = {
  name: 'email-confirmation',
  ttlMs: 24 * HOUR_MS,
};

/** Its holder may take back the address before. It outlives a changed password: a thief would change that first. */
export const EMAIL_UNDO: TokenKind<{ email: string }> = { name: 'email-undo', ttlMs: 72 * HOUR_MS };
