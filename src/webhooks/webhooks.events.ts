import type { Binary, ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';

/** A webhook was created, changed or deleted. */
export const WEBHOOKS_CHANGED: Topic<null> = { name: 'webhooks.changed' };

/** An event has a webhook. The payload is the id of the delivery. */
export const WEBHOOK_DELIVERY: Topic<Binary> = { name: 'webhook.delivery' };

/** A webhook was deleted: subscribers delete its deliveries. */
export const WEBHOOK_DELETED: Topic<ObjectId> = { name: 'webhook.deleted' };
