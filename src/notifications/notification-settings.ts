import { namedValues } from '../common/named-values.js';
import { NOTIFICATION_KINDS, type NotificationKind } from './notification-kinds.js';

/** Mailed and pushed notifications also appear in the list. */
export const DELIVERIES = namedValues('NotificationDelivery', ['app', 'mail', 'push', 'mail_and_push', 'off']);
export type Delivery = (typeof DELIVERIES)[number];
/** the posts whose replies to other accounts notify */
export const THREADS = namedValues('NotifiedThreads', ['own', 'watched']);
export const DIGESTS = namedValues('DigestFrequency', ['off', 'daily', 'weekly']);
export const SOURCES = namedValues('NotificationSource', ['everyone', 'followed']);

/** The delivery of each kind. `threads: watched` includes own posts. `from`: whose actions notify. `digestHour` is in `timeZone` (IANA); weekly digests are sent on Mondays. */
export type NotificationSettings = Record<NotificationKind, Delivery> & {
  threads: (typeof THREADS)[number];
  from: (typeof SOURCES)[number];
  digest: (typeof DIGESTS)[number];
  digestHour: number;
  timeZone: string;
};

export const DEFAULT_SETTINGS = {
  ...(Object.fromEntries(NOTIFICATION_KINDS.map((kind) => [kind, 'app'])) as Record<NotificationKind, 'app'>),
  threads: 'own',
  from: 'everyone',
  digest: 'off',
  digestHour: 8,
  timeZone: 'UTC',
} as const satisfies NotificationSettings;

export function isMailed(delivery: Delivery | undefined): boolean {
  return delivery === 'mail' || delivery === 'mail_and_push';
}

export function isPushed(delivery: Delivery | undefined): boolean {
  return delivery === 'push' || delivery === 'mail_and_push';
}
