import { namedValues } from '../common/named-values.js';
import type { TargetKind } from '../moderation/action-kinds.js';

/** of posts and comments: those of an account, or all public ones of the site */
const CONTENT_EVENTS = [
  'post.published',
  'post.updated',
  'post.hidden',
  'post.deleted',
  'comment.created',
  'comment.edited',
  'comment.deleted',
] as const;
/** What only a webhook of an account can ask for. */
const OWN_EVENTS = ['follow.created', 'collection.updated', 'user.updated', 'export.ready', 'import.done'] as const;
/** What only a site-wide webhook can ask for. */
const SITE_EVENTS = [
  'user.created',
  'user.ended',
  'report.opened',
  'action.taken',
  'registration.pending',
  'rule.hit',
] as const;

export const WEBHOOK_EVENTS = namedValues('WebhookEvent', [...CONTENT_EVENTS, ...OWN_EVENTS, ...SITE_EVENTS]);
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Whether a webhook of this kind can ask for the event. */
export function isEventOf(isSiteWide: boolean, event: WebhookEvent): boolean {
  const others: readonly WebhookEvent[] = isSiteWide ? OWN_EVENTS : SITE_EVENTS;
  return !others.includes(event);
}

/** The types of messages: a ping tests a webhook. */
export const MESSAGE_TYPES = namedValues('WebhookMessageType', [...WEBHOOK_EVENTS, 'ping']);
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** Only ids, paths and versions: the receiver reads the text with a token, so a removed text cannot leave through a queue. */
export type WebhookData = {
  /** of the row that the type names; report.opened: of the reported content */
  id: string;
  /** path segment of a post */
  slug?: string;
  /** grows with each edit of a post, comment or profile */
  version?: number;
  /** the post of a comment */
  postId?: string;
  /** of a follower or an account */
  username?: string;
  /** of a report, an action or a hit of a rule */
  targetKind?: TargetKind;
  /** of an action or a hit of a rule */
  targetId?: string;
  /** of an import */
  state?: 'ready' | 'failed';
  counts?: Record<string, number>;
};

export const DELIVERY_STATES = namedValues('WebhookDeliveryState', ['waiting', 'delivered', 'failed']);
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** `gone`: the receiver responded 410; `failures`: no attempt succeeded for three days */
export const DISABLED_REASONS = namedValues('WebhookDisabledReason', ['gone', 'failures']);
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** of an account, and of the site */
export const MAX_WEBHOOKS = 10;
export const MAX_SITE_WIDE = 20;
export const MAX_DESCRIPTION = 100;
export const MAX_ATTEMPTS = 20;
export const MAX_RESPONSE_BYTES = 1_024;
