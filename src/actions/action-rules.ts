import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { requireFuture } from '../common/future-date.js';
import type { ActionKind } from '../moderation/action-kinds.js';
import type { Reason } from '../moderation/reasons.js';
import type { Standing } from '../users/standing.js';

export const ACT_TARGETS = ['post', 'comment', 'collection', 'user'] as const;
export type ActTarget = (typeof ACT_TARGETS)[number];

/** The kinds of actions that moderators choose, with the kinds of their targets. */
const TARGETS_OF = {
  remove: ['post', 'comment', 'collection'],
  restore: ['post', 'comment', 'collection'],
  lock: ['post'],
  unlock: ['post'],
  warn: ['user'],
  limit: ['user'],
  suspend: ['user'],
  ban: ['user'],
  lift: ['user'],
} as const satisfies Partial<Record<ActionKind, readonly ActTarget[]>>;
export type ActKind = keyof typeof TARGETS_OF;
export const ACT_KINDS = Object.keys(TARGETS_OF) as ActKind[];

/** The actions that end the effect of others. */
const UNDOES = {
  restore: ['remove'],
  unlock: ['lock'],
  lift: ['limit', 'suspend', 'ban'],
} as const satisfies Partial<Record<ActKind, readonly ActKind[]>>;
export type UndoKind = keyof typeof UNDOES;

export const LEVELS = { limit: 'limited', suspend: 'suspended', ban: 'banned' } as const satisfies Partial<
  Record<ActKind, Standing['level']>
>;

/** An action as its moderator requests it. */
export type ActionRequest = {
  kind: ActKind;
  targetKind: ActTarget;
  targetId: string;
  reasonCode: Reason;
  publicReason: string;
  privateNote?: string | undefined;
  until?: string | undefined;
  caseId?: string | undefined;
};

/** A valid action. `caseId` undefined: closes the case of the target, if there is one. */
export type PlannedAction = Pick<ActionRequest, 'kind' | 'targetKind' | 'reasonCode' | 'publicReason' | 'caseId'> & {
  targetId: ObjectId;
  privateNote: string;
  until: Date | null;
};

export function isUndo(kind: ActionKind): kind is UndoKind {
  return kind in UNDOES;
}

/** Returns the action that ends the effect of this kind, or null for kinds without a lasting effect. */
export function undoOf(kind: ActionKind): UndoKind | null {
  return (Object.keys(UNDOES) as UndoKind[]).find((undo) => includes(UNDOES[undo], kind)) ?? null;
}

/** Returns the kinds that begin and end one effect: the latest of them on a target is its state. */
export function kindsOfEffect(undo: UndoKind): ActKind[] {
  return [undo, ...UNDOES[undo]];
}

/** @throws CodedError `invalid_input` for a target or an end that the kind does not have, `invalid_expiry` */
export function planAction({ targetId, privateNote = '', until, ...request }: ActionRequest): PlannedAction {
  const { kind, targetKind } = request;
  if (!includes(TARGETS_OF[kind], targetKind))
    throw invalid('targetKind', `must be ${TARGETS_OF[kind].join(' or ')} for ${kind}`);
  if (until !== undefined && !(kind in LEVELS)) throw invalid('until', 'is only for limit, suspend and ban');
  const end = until === undefined ? null : requireFuture(until, 'until');
  return { ...request, targetId: ObjectId.createFromHexString(targetId), privateNote, until: end };
}

function includes(kinds: readonly string[], kind: string): boolean {
  return kinds.includes(kind);
}

function invalid(field: string, message: string): CodedError {
  return new CodedError('invalid_input', `${field} ${message}.`, { fields: [{ field, message }] });
}
