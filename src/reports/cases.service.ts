import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { CodedError } from '../common/errors.js';
import { beyond } from '../common/keyset.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import { type LoggedAction, ModerationLogService } from '../moderation/moderation-log.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import type { Page } from '../platform/http/pagination/page.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { allFields, findMany, findOne } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { AuthorJson } from '../users/author-snapshot.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import type { CasesQuery } from './dto/cases.query.js';
import { type Claim, claimOf, requireDecidable, requireUnclaimed } from './report-plan.js';
import { caseIdOf, type CaseOutcome, CLAIM_MS, REPORT_TARGET_KINDS, type ReportTargetKind } from './report-rules.js';
import { type ReportedContent, ReportTargetsService } from './report-targets.service.js';
import { CASE_LISTS, Report, ReportCase, ReportCaseSchema } from './report.schema.js';
import { summaryKey, TargetSummariesService, type TargetSummary } from './target-summaries.service.js';

/** reports in the details of a case */
export const MAX_SHOWN_REPORTS = 100;
/** Further cases of an author are not counted. */
export const MAX_OTHER_CASES = 1_000;
/** actions in the details of a case, of each of the two lists */
export const MAX_SHOWN_ACTIONS = 20;

/** all fields but the encrypted content, which may be long */
const LISTED = allFields(ReportCaseSchema, 'reported');
const REPORT_FIELDS = { reporterId: 1, reason: 1, note: 1, weight: 1, createdAt: 1, outcome: 1 } as const;
/** maximum number of moderators that one case notifies */
const MAX_STAFF = 100;

export type ListedCase = Omit<ReportCase, 'reported'>;
export type ShownReport = Pick<Report, keyof typeof REPORT_FIELDS>;
/** @field ownerId the account that the action affects */
export type CaseOfAction = Pick<ReportCase, 'targetKind' | 'targetId' | 'ownerId'> & { caseId?: string | undefined };
/** A case with the names and the content that moderators read first. */
export type ShownCase = {
  row: ListedCase;
  owner: AuthorJson | null;
  claimer: AuthorJson | null;
  content: TargetSummary | null;
};
export type CaseDetails = ShownCase & {
  reported: ReportedContent | null;
  current: ReportedContent | null;
  html: string | null;
  reports: ShownReport[];
  reporters: Map<string, AuthorJson>;
  otherCasesCount: number;
  /** the latest actions on the target */
  actions: LoggedAction[];
  /** the latest actions on its owner and content of the owner */
  ownerActions: LoggedAction[];
};

/** Cases of reported content, for moderators. */
@Injectable()
export class CasesService {
  constructor(
    private readonly mongo: MongoService,
    private readonly targets: ReportTargetsService,
    private readonly summaries: TargetSummariesService,
    private readonly accounts: UserAccountsService,
    private readonly paginator: Paginator,
    private readonly log: ModerationLogService,
    private readonly history: ModerationHistoryService,
    @InjectModel(Report.name) private readonly reports: Model<Report>,
    @InjectModel(ReportCase.name) private readonly cases: Model<ReportCase>,
  ) {}

  /** Lists cases: the highest weight first, or the earliest first report first. */
  async list({ state, kind, sort, ...query }: CasesQuery, viewer: Viewer): Promise<Page<ShownCase>> {
    const filter: QueryFilter<ReportCase> = { state, ...(kind === undefined ? {} : { targetKind: kind }) };
    const isOldest = sort === 'oldest';
    const field = isOldest ? 'firstAt' : 'weight';
    const order = isOldest ? 1 : -1;
    const options = {
      sort: { [field]: order, _id: order },
      hint: CASE_LISTS[kind === undefined ? sort : (`${sort}OfKind` as const)],
    } as const;
    const { data, page } = await this.paginator.list<ListedCase>({
      query,
      scope: `cases:${state}:${kind ?? ''}:${sort}`,
      positionOf: (row) => ({ value: Number(row[field]), id: row.targetId.toHexString(), key: row._id }),
      read: (after, limit) => {
        const value = after !== null && isOldest ? new Date(after.value) : after?.value;
        const range = after && beyond(filter, field, isOldest ? '$gt' : '$lt', { value, id: after.key });
        return findMany(this.cases, range ?? filter, LISTED, { ...options, limit });
      },
    });
    return { data: await this.show(data, viewer), page };
  }

  /** Returns the open cases of these targets, in no order. */
  findOpen(targetIds: readonly ObjectId[], tx?: Transaction): Promise<ListedCase[]> {
    const ids = targetIds.flatMap((id) => REPORT_TARGET_KINDS.map((kind) => caseIdOf(kind, id)));
    if (ids.length === 0) return Promise.resolve([]);
    return findMany(this.cases, { _id: { $in: ids }, state: 'open' }, LISTED, tx && { session: tx?.session });
  }

  /** Returns the moderators to notify of the open cases of these targets, except the owner of a target. */
  async listToNotify(
    targetIds: readonly ObjectId[],
    tx: Transaction,
  ): Promise<{ targetId: ObjectId; userId: ObjectId }[]> {
    const cases = await this.findOpen(targetIds, tx);
    const staff = cases.length === 0 ? [] : await this.accounts.staffIds(MAX_STAFF, tx);
    return cases.flatMap(({ targetId, ownerId }) =>
      staff.filter((userId) => !userId.equals(ownerId)).map((userId) => ({ targetId, userId })),
    );
  }

  /** Returns the number of open cases, and the time of the oldest. */
  async openStatus(): Promise<{ count: number; oldestAt: Date | null }> {
    const [open, hint] = [{ state: 'open' }, CASE_LISTS.oldest] as const;
    const [count, oldest] = await Promise.all([
      this.cases.countDocuments(open, { hint }),
      findOne(this.cases, open, { firstAt: 1 }, { sort: { firstAt: 1 }, hint }),
    ]);
    return { count, oldestAt: oldest?.firstAt ?? null };
  }

  /** Returns a case with the content as it was reported and as it is now. @throws CodedError `case_not_found` */
  async get(id: string, viewer: Viewer): Promise<CaseDetails> {
    const row = await findOne(this.cases, { _id: id }, { ...LISTED, reported: 1 });
    if (row === null) throw caseNotFound();
    const latest = { sort: { createdAt: -1 }, limit: MAX_SHOWN_REPORTS } as const;
    const [[shown], current, reports, casesCount, actions, ownerActions] = await Promise.all([
      this.show([row], viewer),
      this.targets.find(row.targetKind, row.targetId, viewer),
      findMany(this.reports, { caseId: id }, REPORT_FIELDS, latest),
      this.cases.countDocuments({ ownerId: row.ownerId }, { limit: MAX_OTHER_CASES + 1 }),
      this.history.latestOn(row.targetId, MAX_SHOWN_ACTIONS),
      this.history.latestOfOwner(row.ownerId, MAX_SHOWN_ACTIONS),
    ]);
    const contents = { reported: this.targets.decrypt(row.reported), current: current?.content ?? null };
    const read = contents.current ?? contents.reported;
    const html = read && (await this.targets.htmlOf(row.targetKind, row.ownerId, read));
    const otherCasesCount = Math.max(0, casesCount - 1);
    const reporters = await this.summaries.names(reports.map(({ reporterId }) => reporterId));
    return { ...shown!, ...contents, html, reports, reporters, otherCasesCount, actions, ownerActions };
  }

  /**
   * Reserves a case for a moderator for 15 minutes, or extends the claim.
   * @throws CodedError `case_not_found`, `forbidden` for a case about own content, `case_closed`, `case_claimed`
   */
  async claim(id: string, viewer: Viewer): Promise<Claim> {
    const by = viewer._id;
    return this.mongo.transaction(async (tx) => {
      const now = new Date();
      const row = await this.getRow(id, tx);
      requireDecidable(row, by, now, await this.isAloneWith(row, viewer, tx));
      const until = new Date(now.getTime() + CLAIM_MS);
      await this.cases.updateOne(
        { _id: id },
        { $set: { claimedBy: by, claimedUntil: until } },
        { session: tx.session },
      );
      return { by, until };
    });
  }

  /** Idempotent. @throws CodedError `case_not_found`, `case_claimed` by another moderator */
  async release(id: string, viewer: Viewer): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      requireUnclaimed(await this.getRow(id, tx), viewer._id, new Date());
      await this.cases.updateOne(
        { _id: id },
        { $set: { claimedBy: null, claimedUntil: null } },
        { session: tx.session },
      );
    });
  }

  /** Closes a case. Its reports lower the weight of their reporters for 30 days. @throws as `claim` */
  async dismiss(id: string, viewer: Viewer, note: string): Promise<void> {
    await this.mongo.transaction(async (tx) => {
      const row = await this.getRow(id, tx);
      const isAlone = await this.isAloneWith(row, viewer, tx);
      requireDecidable(row, viewer._id, new Date(), isAlone);
      await this.close([id], { outcome: 'dismissed', note }, tx);
      const { targetKind, targetId, ownerId } = row;
      const detail = isAlone ? { detail: 'own content: no other moderator can decide' } : {};
      await this.log.add({ by: viewer, kind: 'dismiss_reports', targetKind, targetId, ownerId, ...detail }, tx);
    });
  }

  /**
   * Closes the case of an action in its transaction: `caseId`, or the open case of the target if there is one.
   * @param by null for the operator, whose actions ignore claims
   * @returns the id of the closed case
   * @throws CodedError `invalid_input` for a case about another account, and as `claim`
   */
  async closeActed(
    by: Viewer | null,
    { caseId, targetKind, targetId, ownerId }: CaseOfAction,
    tx: Transaction,
  ): Promise<string | null> {
    const id = caseId ?? caseIdOf(targetKind, targetId);
    const row = await findOne(this.cases, { _id: id }, LISTED, { session: tx.session });
    if (caseId === undefined && row?.state !== 'open') return null;
    if (row === null) throw caseNotFound();
    if (!row.ownerId.equals(ownerId)) throw caseOfAnother();
    if (by !== null) requireDecidable(row, by._id, new Date());
    await this.close([id], { outcome: 'acted', note: '' }, tx);
    return id;
  }

  /** Closes the open cases about an account and its content, except those that another moderator has claimed. */
  async closeActedOfOwner(by: Viewer | null, ownerId: ObjectId, tx: Transaction): Promise<void> {
    const now = new Date();
    const options = { session: tx.session, limit: MAX_OTHER_CASES } as const;
    const rows = await findMany(this.cases, { ownerId, state: 'open' }, { claimedBy: 1, claimedUntil: 1 }, options);
    const free = rows.filter((row) => {
      const claim = claimOf(row, now);
      return claim === null || by === null || claim.by.equals(by._id);
    });
    const ids = free.map(({ _id }) => _id);
    if (ids.length > 0) await this.close(ids, { outcome: 'acted', note: '' }, tx);
  }

  /** Closes the open cases of deleted targets. Idempotent. @returns the number of closed cases */
  async closeDeleted(kind: ReportTargetKind, targetIds: readonly ObjectId[], tx: Transaction): Promise<number> {
    const ids = targetIds.map((id) => caseIdOf(kind, id));
    const rows = await findMany(this.cases, { _id: { $in: ids }, state: 'open' }, { _id: 1 }, { session: tx.session });
    const open = rows.map(({ _id }) => _id);
    if (open.length > 0) await this.close(open, { outcome: 'deleted', note: '' }, tx);
    return open.length;
  }

  /** Whether a case is about a moderator, and no other one can decide it. */
  private async isAloneWith({ ownerId }: ListedCase, viewer: Viewer, tx: Transaction): Promise<boolean> {
    return ownerId.equals(viewer._id) && !(await this.accounts.hasOtherAbove('user', viewer._id, tx));
  }

  private async show(rows: ListedCase[], viewer: Viewer): Promise<ShownCase[]> {
    const [found, names] = await Promise.all([
      this.summaries.find(rows, viewer),
      this.summaries.names(rows.flatMap(({ ownerId, claimedBy }) => [ownerId, claimedBy])),
    ]);
    return rows.map((row) => ({
      row,
      owner: names.get(row.ownerId.toHexString()) ?? null,
      claimer: (row.claimedBy && names.get(row.claimedBy.toHexString())) ?? null,
      content: found.get(summaryKey(row)) ?? null,
    }));
  }

  private async close(
    ids: string[],
    { outcome, note }: { outcome: CaseOutcome; note: string },
    tx: Transaction,
  ): Promise<void> {
    const closed = { closedAt: new Date(), outcome };
    const change = { ...closed, state: 'closed', note, claimedBy: null, claimedUntil: null } as const;
    await this.cases.updateMany({ _id: { $in: ids } }, { $set: change }, { session: tx.session });
    await this.reports.updateMany({ caseId: { $in: ids }, closedAt: null }, { $set: closed }, { session: tx.session });
  }

  private async getRow(id: string, tx: Transaction): Promise<ListedCase> {
    const row = await findOne(this.cases, { _id: id }, LISTED, { session: tx.session });
    if (row === null) throw caseNotFound();
    return row;
  }
}

function caseOfAnother(): CodedError {
  const message = 'must be a case about the same account';
  return new CodedError('invalid_input', `caseId ${message}.`, { fields: [{ field: 'caseId', message }] });
}

function caseNotFound(): CodedError {
  return new CodedError('case_not_found', 'Case not found. MongoDB deletes closed cases after 30 days.');
}
