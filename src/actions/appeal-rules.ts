import { namedValues } from '../common/named-values.js';
import type { ActionKind } from '../moderation/action-kinds.js';
import type { LoggedAction } from '../moderation/moderation-log.service.js';

export const APPEAL_STATES = namedValues('AppealState', ['open', 'accepted', 'rejected']);
export type AppealState = (typeof APPEAL_STATES)[number];

export const MAX_APPEAL = 2_000;
export const APPEAL_DAYS = 30;

export const APPEALABLE: readonly ActionKind[] = ['remove', 'lock', 'warn', 'limit', 'suspend', 'ban'];

/** Whether the affected account may appeal an action that it has not appealed. */
export function isAppealable(
  { kind, createdAt }: Pick<LoggedAction, 'kind' | 'createdAt'>,
  isReversed: boolean,
  now: Date,
): boolean {
  const endsAt = createdAt.getTime() + APPEAL_DAYS * 86_400_000;
  return APPEALABLE.includes(kind) && !isReversed && now.getTime() < endsAt;
}
