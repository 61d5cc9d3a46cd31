import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { ActivityService } from '../activity/activity.service.js';
import { CodedError } from '../common/errors.js';
import type { ActionOutcomeDto, ActionOutcomesDto } from './dto/action-outcome.dto.js';
import { type ModerationActionDto, toModerationAction } from '../moderation/moderation-action.dto.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import { type LoggedAction, ModerationLogService } from '../moderation/moderation-log.service.js';
import { isTextTarget, RemovedTextsService } from '../moderation/removed-texts.service.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { CasesService } from '../reports/cases.service.js';
import { standingAt } from '../users/standing.js';
import { UsersService } from '../users/users.service.js';
import { ActionEffectsService } from './action-effects.service.js';
import { ReversedAppealsService } from './reversed-appeals.service.js';
import {
  type ActTarget,
  type ActionsRequest,
  isUndo,
  kindsOfEffect,
  type PlannedAction,
  planActions,
  type UndoKind,
  undoOf,
} from './action-rules.js';

type ActionTarget = Pick<LoggedAction, 'targetKind' | 'targetId'>;

const BY_RULE = 'A text of yours matched a rule of this site. A moderator will review it.';
/** The effect of an action has already ended, or its target was deleted. */
const ENDED = new Set([
  ...['not_removed', 'post_not_locked', 'standing_unchanged'],
  ...['post_not_found', 'comment_not_found', 'collection_not_found', 'user_not_found', 'media_not_found'],
]);

/** Performs the actions of moderators: the effect, its log entry and the notification commit together, and the case of the target closes. */
@Injectable()
export class ActionsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly effects: ActionEffectsService,
    private readonly users: UsersService,
    private readonly cases: CasesService,
    private readonly log: ModerationLogService,
    private readonly history: ModerationHistoryService,
    private readonly texts: RemovedTextsService,
    private readonly activity: ActivityService,
    private readonly appeals: ReversedAppealsService,
  ) {}

  /**
   * Its transaction also stores the response under the idempotency key of the request.
   * @param write with the viewer null for the operator (a CLI command)
   * @throws CodedError `forbidden`, as `planActions`, `ActionEffectsService` and `CasesService.closeActed`
   */
  async act(write: WriteRequest<Viewer | null>, request: ActionsRequest): Promise<ModerationActionDto> {
    const [planned] = planActions(request) as [PlannedAction];
    return this.mongo.transaction(async (tx) => {
      const created = toModerationAction(await this.perform(write.viewer, planned, tx));
      tx.storeResponse(write.idempotencyKey, { status: 201, headers: {}, body: created });
      return created;
    });
  }

  /**
   * Acts on each of several targets in a transaction of its own. A repeated request acts on those that the first one has not reached.
   * @throws CodedError as `planActions`, before the first action
   */
  async actOnEach(write: WriteRequest<Viewer | null>, request: ActionsRequest): Promise<ActionOutcomesDto> {
    const data: ActionOutcomeDto[] = [];
    for (const planned of planActions(request)) data.push(await this.outcomeOf(write.viewer, planned));
    if (write.idempotencyKey !== undefined) {
      const [key, stored] = [write.idempotencyKey, { status: 200, headers: {}, body: { data } }];
      await this.mongo.transaction((tx) => tx.storeResponse(key, stored));
    }
    return { data };
  }

  /** Ends the effect of an action whose appeal was accepted, unless the effect has ended or a later action has replaced it. */
  async undo(by: Viewer | null, action: LoggedAction, publicReason: string, tx: Transaction): Promise<void> {
    const kind = undoOf(action.kind);
    if (kind === null || !(await this.isInEffect(kind, action, tx))) return;
    const { targetId, ownerId } = action;
    const about = { targetKind: action.targetKind as ActTarget, targetId, ownerId: ownerId! };
    const entry = { _id: new ObjectId(), kind, ...about, publicReason };
    try {
      await this.effects.apply({ ...entry, until: null, reverses: action._id }, tx);
    } catch (error) {
      if (error instanceof CodedError && ENDED.has(error.code)) return;
      throw error;
    }
    await this.log.add({ ...entry, by, reasonCode: 'other', reverses: action._id }, tx);
  }

  /** @throws CodedError `forbidden` for the account itself, and for accounts with the same or a higher role */
  async requireAbove(by: Viewer | null, userId: ObjectId, tx: Transaction): Promise<void> {
    if (by === null) return;
    if (userId.equals(by._id)) throw new CodedError('forbidden', 'Another moderator must decide about you.');
    const [row] = await this.users.findParts([userId], ['role'], tx);
    if (row !== undefined && hasRole(row, by.role))
      throw new CodedError('forbidden', `This requires a higher role than ${row.role}.`);
  }

  /** Limits the author of a text that a rule matches. Accounts with a restriction and moderators stay unchanged. */
  async limitByRule(targetId: ObjectId): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const [user] = await this.users.findParts([targetId], ['role', 'standing'], tx);
      if (user === undefined || hasRole(user, 'moderator')) return;
      if (standingAt(user.standing, Date.now()) !== null) return;
      const entry = {
        _id: new ObjectId(),
        kind: 'limit',
        targetKind: 'user',
        targetId,
        ownerId: targetId,
        publicReason: BY_RULE,
      } as const;
      await this.effects.apply({ ...entry, until: null }, tx);
      const by = { by: null, actorRole: 'system', reasonCode: 'other' } as const;
      await this.notify(await this.log.add({ ...entry, ...by }, tx), tx);
    });
  }

  /** Notifies the affected account of an action. */
  async notify({ _id: target, ownerId }: LoggedAction, tx: Transaction): Promise<void> {
    await this.activity.add(tx, [{ kind: 'moderation', actor: ownerId!, target }]);
  }

  /** Whether the action still has its effect, which this kind ends. A text may have several removals. */
  private async isInEffect(kind: UndoKind, action: LoggedAction, tx: Transaction): Promise<boolean> {
    if (isTextTarget(action.targetKind)) return this.texts.has(action._id, tx);
    return (await this.findUndone(kind, action, tx))?.equals(action._id) === true;
  }

  private async outcomeOf(by: Viewer | null, planned: PlannedAction): Promise<ActionOutcomeDto> {
    const targetId = planned.targetId.toHexString();
    try {
      const action = await this.mongo.transaction((tx) => this.perform(by, planned, tx));
      return { targetId, action: toModerationAction(action), code: null };
    } catch (error) {
      if (!(error instanceof CodedError) || error.status >= 500) throw error;
      return { targetId, action: null, code: error.code };
    }
  }

  private async perform(by: Viewer | null, planned: PlannedAction, tx: Transaction): Promise<LoggedAction> {
    const { caseId, hidesContent, removesContent, bansNetwork, fields, postIds, ...action } = planned;
    const { kind, targetKind, targetId } = action;
    const ownerId = await this.effects.ownerOf(targetKind, targetId, tx);
    await this.requireAbove(by, ownerId, tx);
    const _id = new ObjectId();
    const reverses = isUndo(kind) ? await this.findUndone(kind, action, tx) : null;
    const standing = { hidesContent, removesContent, bansNetwork };
    const effect = { _id, ...action, ownerId, reverses, ...standing, fields, postIds };
    const what = await this.effects.apply(effect, tx);
    const about = { caseId, targetKind, targetId, ownerId };
    const closed = isUndo(kind) && caseId === undefined ? null : await this.cases.closeActed(by, about, tx);
    if (reverses !== null) await this.appeals.accept(reverses, by, action.publicReason, tx);
    if (removesContent) await this.cases.closeActedOfOwner(by, ownerId, tx);
    const details = [
      ...(what === undefined ? [] : [what]),
      ...(removesContent ? ['removes everything'] : []),
      ...(bansNetwork ? ['bans the network'] : []),
    ];
    const detail = details.length === 0 ? {} : { detail: details.join(', ') };
    const row = await this.log.add({ _id, by, ownerId, ...action, ...detail, caseId: closed, reverses }, tx);
    await this.notify(row, tx);
    return row;
  }

  /** Returns the action whose effect on the target this kind ends. */
  private async findUndone(kind: UndoKind, target: ActionTarget, tx: Transaction): Promise<ObjectId | null> {
    if (isTextTarget(target.targetKind)) return this.texts.findLatest(target.targetKind, target.targetId, tx);
    const latest = await this.history.findLatest(target, kindsOfEffect(kind), tx);
    return latest === null || latest.kind === kind ? null : latest._id;
  }
}
