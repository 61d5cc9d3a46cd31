import { NOTIFICATION_KINDS, type NotificationKind } from './notification-id.js';

export const DELIVERIES = ['app', 'off'] as const;
export const SOURCES = ['everyone', 'followed'] as const;

/** For each kind whether it is listed; `from`: by whose actions. */
export type NotificationSettings = Record<NotificationKind, (typeof DELIVERIES)[number]> & {
  from: (typeof SOURCES)[number];
};

export const DEFAULT_SETTINGS = {
  ...(Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, 'app'])) as Record<NotificationKind, 'app'>),
  from: 'everyone',
} as const satisfies NotificationSettings;

/** Kinds about the account itself, or that it asked for: `from` does not apply. */
export const FROM_ANYONE: ReadonlySet<NotificationKind> = new Set(['new_post', 'draft_published', 'draft_failed']);
