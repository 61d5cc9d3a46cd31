import type { TokenKind } from './one-time-tokens.service.js';

const HOUR_MS = 3_600_000;

/**
 * Lets its holder set a password while the account has the address that received the mail. The lifetime equals the window of the mail
 * limit: if others use up the limit of an address, its owner has valid links until the next mail.
 */
export const PASSWORD_RESET: TokenKind<{ email: string }> = { name: 'password-reset', ttlMs: HOUR_MS };

/** Proves that its holder reads the mail of `email`; valid while the account has the address `from`. A change of address sets both. */
export const EMAIL_CONFIRMATION: TokenKind<{ from: string; email: string }> = {
  name: 'email-confirmation',
  ttlMs: 24 * HOUR_MS,
};

/** Let a banned account appeal its ban, and request an export, once each without signing in. */
export const BAN_APPEAL: TokenKind<{ actionId: string }> = { name: 'ban-appeal', ttlMs: 30 * 24 * HOUR_MS };
export const BAN_EXPORT: TokenKind<Record<string, never>> = { name: 'ban-export', ttlMs: 30 * 24 * HOUR_MS };

/** Lets its holder restore the previous address. The token survives a change of the password, which a thief would change first. */
export const EMAIL_UNDO: TokenKind<{ email: string }> = { name: 'email-undo', ttlMs: 72 * HOUR_MS };

/** Tokens that a change of the password keeps. */
export const KEPT_TOKENS: string[] = [EMAIL_UNDO.name, BAN_APPEAL.name, BAN_EXPORT.name];
