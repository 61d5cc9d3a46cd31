import { secondOf } from '../common/pair-id.js';
import type { Projected } from '../platform/mongo/lean-reads.js';
import type { WebhookDeliveryDto } from './dto/webhook-delivery.dto.js';
import type { WebhookDto } from './dto/webhook.dto.js';
import type { Webhook, WebhookDelivery } from './webhook.schema.js';

/** The fields that the owner sees, and the version. */
export const WEBHOOK_FIELDS = {
  url: 1,
  events: 1,
  isSiteWide: 1,
  description: 1,
  isEnabled: 1,
  disabledReason: 1,
  failingSince: 1,
  version: 1,
  createdAt: 1,
  updatedAt: 1,
} as const;
export type WebhookRow = Projected<Webhook, typeof WEBHOOK_FIELDS>;

export function toWebhook({ _id, version: _, ...row }: WebhookRow): WebhookDto {
  const { url, events, isSiteWide, description, isEnabled, disabledReason, failingSince, createdAt, updatedAt } = row;
  const state = { isEnabled, disabledReason, failingSince };
  return { id: _id.toHexString(), url, events, isSiteWide, description, ...state, createdAt, updatedAt };
}

export function locationOf({ id }: Pick<WebhookDto, 'id'>): string {
  return `/v1/webhooks/${id}`;
}

export const DELIVERY_FIELDS = { type: 1, data: 1, state: 1, attempts: 1, nextAt: 1, createdAt: 1 } as const;
export type DeliveryRow = Projected<WebhookDelivery, typeof DELIVERY_FIELDS>;

export function toDelivery({ _id, type, data, state, attempts, nextAt, createdAt }: DeliveryRow): WebhookDeliveryDto {
  return { id: secondOf(_id).toHexString(), type, data, state, attempts, nextAt, createdAt };
}
