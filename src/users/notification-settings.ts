/** The kinds of notifications, and ways to send them, that an account may switch off. */
export const NOTIFICATIONS = ['email', 'push', 'mention', 'follow', 'comment', 'message'] as const;

export type NotificationSettings = Record<(typeof NOTIFICATIONS)[number], boolean>;

/** Defaults until the account changes them. */
export const DEFAULT_NOTIFICATIONS: NotificationSettings = {
  ...{ email: true, push: true, mention: true, follow: true, comment: false, message: true },
};
