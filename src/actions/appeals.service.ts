import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { invalidToken, OneTimeTokensService } from '../auth/one-time-tokens.service.js';
import { BAN_APPEAL } from '../auth/token-kinds.js';
import { CodedError } from '../common/errors.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import { type LoggedAction, ModerationLogService } from '../moderation/moderation-log.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import type { Page } from '../platform/http/pagination/page.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { isDuplicateKey } from '../platform/mongo/duplicate-key.js';
import { allFields, findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { summaryKey, TargetSummariesService, type TargetSummary } from '../reports/target-summaries.service.js';
import type { AuthorJson } from '../users/author-snapshot.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import { ActionsService } from './actions.service.js';
import { APPEAL_DAYS, isAppealable } from './appeal-rules.js';
import { Appeal, BY_STATE, AppealSchema } from './appeal.schema.js';
import type { AppealByMail, AppealsQuery, CreateAppeal, DecideAppeal } from './dto/appeal-input.dto.js';

const FIELDS = allFields(AppealSchema);

export type AppealedAction = { appeal: Appeal; action: LoggedAction };
/** An appeal with the names and the content that moderators read first. */
export type ShownAppeal = AppealedAction & {
  account: AuthorJson | null;
  moderator: AuthorJson | null;
  content: TargetSummary | null;
};

/** Appeals of affected accounts, and the decisions of other moderators. */
@Injectable()
export class AppealsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly actions: ActionsService,
    private readonly accounts: UserAccountsService,
    private readonly log: ModerationLogService,
    private readonly history: ModerationHistoryService,
    private readonly summaries: TargetSummariesService,
    private readonly paginator: Paginator,
    private readonly tokens: OneTimeTokensService,
    @InjectModel(Appeal.name) private readonly appeals: Model<Appeal>,
  ) {}

  /** @throws CodedError `action_not_found` also for actions on others, `already_appealed`, `not_appealable` */
  async create(viewer: Pick<Viewer, '_id'>, { actionId, text }: CreateAppeal): Promise<Appeal> {
    const _id = ObjectId.createFromHexString(actionId);
    const action = await this.history.findById(_id);
    if (action === null || action.ownerId?.equals(viewer._id) !== true) throw actionNotFound();
    const isReversed = (await this.history.findReversed([_id])).size > 0;
    if ((await this.findByActions([_id])).size > 0) throw alreadyAppealed();
    if (!isAppealable(action, isReversed, new Date())) throw notAppealable();
    const userId = viewer._id;
    const open = { state: 'open', decidedBy: null, decidedAt: null, reason: '' } as const;
    const row: Appeal = { _id, userId, seq: new ObjectId(), text, ...open };
    try {
      await this.appeals.insertOne(row);
    } catch (error) {
      throw isDuplicateKey(error) ? alreadyAppealed() : error;
    }
    return row;
  }

  /** As `create`, by a token of the mail about a ban. @throws CodedError `invalid_email_token`, and as `create` */
  async createByMail({ token, text }: AppealByMail): Promise<Appeal> {
    const found = await this.tokens.find(BAN_APPEAL, token);
    if (found === null) throw invalidToken();
    // A second appeal against the action fails, so concurrent uses create one.
    const appeal = await this.create({ _id: found.userId }, { ...found.data, text });
    await this.mongo.transaction((tx) => this.tokens.use(BAN_APPEAL, token, tx));
    return appeal;
  }

  /** Lists appeals with their actions, oldest first. */
  list({ state, ...query }: AppealsQuery): Promise<Page<AppealedAction>> {
    return this.paginator.list<Appeal, AppealedAction>({
      query,
      scope: `appeals:${state}`,
      positionOf: ({ seq }) => ({ id: seq.toHexString() }),
      read: (after, limit) => {
        const range = after === null ? {} : { seq: { $gt: new ObjectId(after.id) } };
        return findMany(this.appeals, { state, ...range }, FIELDS, { sort: { seq: 1 }, limit, hint: BY_STATE });
      },
      resolve: async (rows) => {
        const actions = await this.history.findByIds(rows.map(({ _id }) => _id));
        return rows.map((appeal) => ({ appeal, action: actions.get(appeal._id.toHexString())! }));
      },
    });
  }

  /** As `list`, with names and content. */
  async listShown(query: AppealsQuery, viewer: Viewer): Promise<Page<ShownAppeal>> {
    const { data, page } = await this.list(query);
    const actions = data.map(({ action }) => action);
    const [found, names] = await Promise.all([
      this.summaries.find(actions, viewer),
      this.summaries.names(data.flatMap(({ appeal, action }) => [appeal.userId, action.actorId])),
    ]);
    const nameOf = (id: ObjectId | null): AuthorJson | null => (id && names.get(id.toHexString())) ?? null;
    const shown = data.map(({ appeal, action }) => {
      const content = found.get(summaryKey(action)) ?? null;
      return { appeal, action, account: nameOf(appeal.userId), moderator: nameOf(action.actorId), content };
    });
    return { data: shown, page };
  }

  /** Returns the appeals by the hex id of their action. */
  async findByActions(ids: readonly ObjectId[]): Promise<Map<string, Appeal>> {
    const rows = ids.length === 0 ? [] : await findMany(this.appeals, { _id: { $in: [...ids] } }, FIELDS);
    return new Map(rows.map((row) => [row._id.toHexString(), row]));
  }

  /** Returns the number of open appeals, and the time of the oldest. */
  async openStatus(): Promise<{ count: number; oldestAt: Date | null }> {
    const open = { state: 'open' } as const;
    const [count, oldest] = await Promise.all([
      this.appeals.countDocuments(open, { hint: BY_STATE }),
      findOne(this.appeals, open, { seq: 1 }, { sort: { seq: 1 }, hint: BY_STATE }),
    ]);
    return { count, oldestAt: oldest?.seq.getTimestamp() ?? null };
  }

  /**
   * Decides an appeal, and ends the effect of the action if it is accepted, in one transaction.
   * @param by null for the operator (a CLI command)
   * @throws CodedError `appeal_not_found`, `forbidden` also for the moderator who acted if another one can decide, `appeal_decided`
   */
  async decide(by: Viewer | null, actionId: ObjectId, { isAccepted, publicReason }: DecideAppeal): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const appeal = await findOne(this.appeals, { _id: actionId }, FIELDS, { session: tx.session });
      const action = appeal && (await this.history.findById(actionId, tx));
      if (appeal === null || action === null) throw new CodedError('appeal_not_found', 'Appeal not found.');
      const isOwnAction = by !== null && action.actorId?.equals(by._id) === true;
      if (isOwnAction && (await this.accounts.canAnotherDecide(by, appeal.userId, tx)))
        throw new CodedError('forbidden', 'Another moderator must decide about your action.');
      await this.actions.requireAbove(by, appeal.userId, tx);
      if (appeal.state !== 'open') throw new CodedError('appeal_decided', 'This appeal is already decided.');
      const decidedBy = by && by._id;
      const state = isAccepted ? 'accepted' : 'rejected';
      const decision = { state, decidedBy, decidedAt: new Date(), reason: publicReason } as const;
      await this.appeals.updateOne({ _id: actionId }, { $set: decision }, { session: tx.session, runValidators: true });
      if (isAccepted) await this.actions.undo(by, action, publicReason, tx);
      const kind = isAccepted ? 'accept_appeal' : 'reject_appeal';
      const about = { targetKind: 'action', targetId: actionId, ownerId: appeal.userId } as const;
      const reverses = isAccepted ? actionId : null;
      const detail = isOwnAction ? { detail: 'own action: no other moderator can decide' } : {};
      const entry = { by, kind, ...about, ...detail, publicReason, reverses } as const;
      await this.actions.notify(await this.log.add(entry, tx), tx);
    });
  }
}

function actionNotFound(): CodedError {
  return new CodedError('action_not_found', 'Action not found.');
}

function alreadyAppealed(): CodedError {
  return new CodedError('already_appealed', 'You have already appealed this action.');
}

function notAppealable(): CodedError {
  const detail = `Warnings, removals, locks and restrictions can be appealed for ${APPEAL_DAYS} days, unless they were undone.`;
  return new CodedError('not_appealable', detail);
}
