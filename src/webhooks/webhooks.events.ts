import type { Binary, ObjectId } from 'mongodb';
import type { Topic } from '../common/topic.js';

/** An event of an account has a webhook. The payload is the id of the delivery. */
export const WEBHOOK_DELIVERY: Topic<Binary> = { name: 'webhook.delivery' };

/** A webhook was deleted: subscribers delete its deliveries. */
export const WEBHOOK_DELETED: Topic<ObjectId> = { name: 'webhook.deleted' };
