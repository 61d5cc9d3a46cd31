import { NOTIFICATION_KINDS, type NotificationKind } from './notification-id.js';

/** `mail`, `push`: listed, and also mailed or sent by Web Push */
export const DELIVERIES = ['app', 'mail', 'push', 'off'] as const;
export const DIGESTS = ['off', 'daily', 'weekly'] as const;
export const SOURCES = ['everyone', 'followed'] as const;

/**
 * For each kind whether it is listed, and with `mail` also mailed; `from`: by whose actions. Digests come at an hour of a time zone (IANA),
 * weekly ones on Mondays.
 */
export type NotificationSettings = Record<NotificationKind, (typeof DELIVERIES)[number]> & {
  from: (typeof SOURCES)[number];
  digest: (typeof DIGESTS)[number];
  digestHour: number;
  timeZone: string;
};

export const DEFAULT_SETTINGS = {
  ...(Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, 'app'])) as Record<NotificationKind, 'app'>),
  from: 'everyone',
  digest: 'off',
  digestHour: 8,
  timeZone: 'UTC',
} as const satisfies NotificationSettings;

/** Kinds about the account itself, or that it asked for: `from` does not apply. */
export const FROM_ANYONE: ReadonlySet<NotificationKind> = new Set(['new_post', 'draft_published', 'draft_failed']);
