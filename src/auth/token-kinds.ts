import type { TokenKind } from './one-time-tokens.service.js';

const HOUR_MS = 3_600_000;

/**
 * Lets its holder set a password, while the account keeps the address that received it. It is valid for as long as mails of a kind are
 * counted: when others use up the limit of an address, its owner has valid links until the next one can be sent.
 */
export const PASSWORD_RESET: TokenKind<{ email: string }> = { name: 'password-reset', ttlMs: HOUR_MS };

/** Proves that its holder reads the mail of `email`; valid while the account has the address `from`. They differ for a change of address. */
export const EMAIL_CONFIRMATION: TokenKind<{ from: string; email: string }> = {
  name: 'email-confirmation',
  ttlMs: 24 * HOUR_MS,
};

/** Lets its holder restore the previous address. It survives a change of the password, which a thief would change first. */
export const EMAIL_UNDO: TokenKind<{ email: string }> = { name: 'email-undo', ttlMs: 72 * HOUR_MS };
