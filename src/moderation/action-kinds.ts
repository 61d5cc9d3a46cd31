import { namedValues } from '../common/named-values.js';

/** The actions of the moderation log, with the verb of their log line. Rows of earlier versions have `delete` and `delete_thread`. */
export const ACTIONS = {
  delete: 'deleted',
  delete_thread: 'deleted the thread of',
  lock: 'locked',
  unlock: 'unlocked',
  set_role: 'set the role of',
  read_email: 'read the e-mail address of',
  create_invite: 'created',
  revoke_invite: 'revoked',
  approve_sign_up: 'approved',
  reject_sign_up: 'rejected',
  dismiss_reports: 'dismissed the reports of',
  remove: 'removed',
  restore: 'restored',
  warn: 'warned',
  limit: 'limited',
  suspend: 'suspended',
  ban: 'banned',
  lift: 'lifted the restriction of',
  accept_appeal: 'accepted the appeal against',
  reject_appeal: 'rejected the appeal against',
  create_rule: 'created',
  change_rule: 'changed',
  delete_rule: 'deleted',
  change_settings: 'changed',
  change_tag: 'changed',
  publish_import: 'published an import of',
} as const;

export type ActionKind = keyof typeof ACTIONS;
export const ACTION_KINDS = namedValues('ModerationActionKind', Object.keys(ACTIONS) as ActionKind[]);

/** The actions on content and accounts, and the decisions about them: for the affected account, and for visitors of a public log. */
export const DISCLOSED_KINDS = [
  ...['delete', 'delete_thread', 'lock', 'unlock', 'remove', 'restore'],
  ...['warn', 'limit', 'suspend', 'ban', 'lift', 'accept_appeal', 'reject_appeal'],
] as readonly ActionKind[];

/** `action`: an earlier action, which an appeal is about */
export const TARGET_KINDS = namedValues('ModerationTargetKind', [
  'post',
  'comment',
  'collection',
  'note',
  'profile',
  'media',
  'user',
  'invite',
  'sign_up',
  'action',
  'rule',
  'settings',
  'tag',
]);
export type TargetKind = (typeof TARGET_KINDS)[number];

/** `operator`: a CLI command; `system`: a rule for texts, or the review of first posts */
export const ACTOR_ROLES = namedValues('ActorRole', ['moderator', 'admin', 'operator', 'system']);
export type ActorRole = (typeof ACTOR_ROLES)[number];
