import { namedValues } from '../common/named-values.js';

/** What an account can subscribe to. */
export const WEBHOOK_EVENTS = namedValues('WebhookEvent', [
  'post.published',
  'post.updated',
  'post.hidden',
  'post.deleted',
  'comment.created',
  'comment.edited',
  'comment.deleted',
  'follow.created',
]);
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The types of messages: a ping tests a webhook. */
export const MESSAGE_TYPES = namedValues('WebhookMessageType', [...WEBHOOK_EVENTS, 'ping']);
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** Only ids, paths and versions: the receiver reads the text with a token, so a removed text cannot leave through a queue. */
export type WebhookData = {
  /** of the post, comment, account or webhook that the type names */
  id: string;
  /** path segment of a post */
  slug?: string;
  /** grows with each edit of a post or comment */
  version?: number;
  /** the post of a comment */
  postId?: string;
  /** of the account of a follow */
  username?: string;
};

export const DELIVERY_STATES = namedValues('WebhookDeliveryState', ['waiting', 'delivered', 'failed']);
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** `gone`: the receiver responded 410; `failures`: no attempt succeeded for three days */
export const DISABLED_REASONS = namedValues('WebhookDisabledReason', ['gone', 'failures']);
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const MAX_WEBHOOKS = 10;
export const MAX_DESCRIPTION = 100;
export const MAX_ATTEMPTS = 20;
export const MAX_RESPONSE_BYTES = 1_024;
