import { NOTIFICATION_KINDS, type NotificationKind } from './notification-id.js';

/** `mail` and `push` notifications also appear in the list. */
export const DELIVERIES = ['app', 'mail', 'push', 'off'] as const;
export const DIGESTS = ['off', 'daily', 'weekly'] as const;
export const SOURCES = ['everyone', 'followed'] as const;

/** The delivery of each kind. `from`: whose actions notify. `digestHour` is in `timeZone` (IANA); weekly digests are sent on Mondays. */
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

/** `from` does not apply to these kinds, because they concern the account itself or a subscription. */
export const FROM_ANYONE: ReadonlySet<NotificationKind> = new Set([
  ...(['new_post', 'draft_published', 'draft_failed', 'moderation', 'case'] as const),
]);
