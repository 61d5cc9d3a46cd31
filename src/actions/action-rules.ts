import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { requireFuture } from '../common/future-date.js';
import type { ActionKind } from '../moderation/action-kinds.js';
import type { Reason } from '../moderation/reasons.js';
import type { ProfileField } from '../users/profile-removals.service.js';
import type { Standing } from '../users/standing.js';

/** `note`: notes of a collection; `profile`: texts, names and the image of an account */
export const ACT_TARGETS = ['post', 'comment', 'collection', 'note', 'profile', 'media', 'user'] as const;
export type ActTarget = (typeof ACT_TARGETS)[number];

/** targets of one request */
export const MAX_TARGETS = 100;

/** The kinds of actions that moderators choose, with the kinds of their targets. */
const REMOVABLE = ['post', 'comment', 'collection', 'note', 'profile', 'media'] as const;
const TARGETS_OF = {
  remove: REMOVABLE,
  restore: REMOVABLE,
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
  hideContent?: boolean | undefined;
  removeEverything?: boolean | undefined;
  includeNetwork?: boolean | undefined;
  caseId?: string | undefined;
  /** of a profile, all but the username by default */
  fields?: ProfileField[] | undefined;
  /** whose notes of a collection, all by default */
  postIds?: string[] | undefined;
};

/** An action on one target, or on several of one kind. */
export type ActionsRequest = Omit<ActionRequest, 'targetId'> & {
  targetId?: string | undefined;
  targetIds?: string[] | undefined;
};

/** A valid action. `caseId` undefined: closes the case of the target, if there is one. */
export type PlannedAction = Pick<
  ActionRequest,
  'kind' | 'targetKind' | 'reasonCode' | 'publicReason' | 'caseId' | 'fields' | 'postIds'
> & {
  targetId: ObjectId;
  privateNote: string;
  until: Date | null;
  /** undefined: a suspension leaves lists as they are */
  hidesContent?: boolean | undefined;
  removesContent: boolean;
  bansNetwork: boolean;
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
export function planAction({
  targetId,
  privateNote = '',
  until,
  hideContent,
  removeEverything: removesContent = false,
  includeNetwork: bansNetwork = false,
  ...request
}: ActionRequest): PlannedAction {
  const { kind, targetKind } = request;
  if (!includes(TARGETS_OF[kind], targetKind))
    throw invalid('targetKind', `must be ${TARGETS_OF[kind].join(' or ')} for ${kind}`);
  if (until !== undefined && !(kind in LEVELS)) throw invalid('until', 'is only for limit, suspend and ban');
  if (hideContent !== undefined && kind !== 'suspend') throw invalid('hideContent', 'is only for suspend');
  const isRemoval = (target: ActTarget): boolean => kind === 'remove' && targetKind === target;
  if (request.fields !== undefined && !isRemoval('profile')) throw invalid('fields', 'is only for remove of a profile');
  if (request.postIds !== undefined && !isRemoval('note')) throw invalid('postIds', 'is only for remove of a note');
  if (removesContent && !(kind in LEVELS)) throw invalid('removeEverything', 'is only for limit, suspend and ban');
  if (bansNetwork && kind !== 'ban') throw invalid('includeNetwork', 'is only for ban');
  const end = until === undefined ? null : requireFuture(until, 'until');
  const effect = { until: end, hidesContent: hideContent, removesContent, bansNetwork };
  return { ...request, targetId: ObjectId.createFromHexString(targetId), privateNote, ...effect };
}

/** Returns the actions of a request, one for each target. @throws CodedError as `planAction` */
export function planActions({ targetId, targetIds = [], ...request }: ActionsRequest): PlannedAction[] {
  const isOne = targetId !== undefined;
  if (isOne === targetIds.length > 0)
    throw invalid('targetIds', 'is required without targetId, and not allowed with it');
  if (!isOne && request.caseId !== undefined) throw invalid('caseId', 'is only for one target');
  return (isOne ? [targetId] : targetIds).map((id) => planAction({ ...request, targetId: id }));
}

function includes(kinds: readonly string[], kind: string): boolean {
  return kinds.includes(kind);
}

function invalid(field: string, message: string): CodedError {
  return new CodedError('invalid_input', `${field} ${message}.`, { fields: [{ field, message }] });
}
