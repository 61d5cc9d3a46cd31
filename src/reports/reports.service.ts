import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { ActivityService } from '../activity/activity.service.js';
import { CodedError } from '../common/errors.js';
import { SITE, type Viewer } from '../platform/access/viewer.js';
import { findOne, streamMany } from '../platform/mongo/lean-reads.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import type { FlaggedContent } from '../rules/rules.events.js';
import { Exported } from '../users/exported.decorator.js';
import { type CreateReport, type ReportDto, toReport } from './dto/report.dto.js';
import { addReport, MAX_DISMISSED, weightOf } from './report-plan.js';
import { caseIdOf, MAX_REPORTS_PER_DAY, reportIdOf } from './report-rules.js';
import { ReportTargetsService, type ReportTarget } from './report-targets.service.js';
import { CASE_OPENED } from './reports.events.js';
import { type OwnReport, Report, ReportCase } from './report.schema.js';

const DAY_MS = 86_400_000;
const OWN_FIELDS = { caseId: 1, reason: 1, note: 1, createdAt: 1 } as const satisfies Record<keyof OwnReport, 1>;

/** Stores reports, each with its case in one transaction. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly targets: ReportTargetsService,
    private readonly activity: ActivityService,
    @InjectModel(Report.name) private readonly reports: Model<Report>,
    @InjectModel(ReportCase.name) private readonly cases: Model<ReportCase>,
  ) {}

  /**
   * Reports a target. Another report by the same account returns the first one, and changes nothing.
   * @throws CodedError `report_self`, `rate_limited`, and the not-found codes of ReportTargetsService.get
   */
  async create(viewer: Viewer, draft: CreateReport): Promise<{ report: ReportDto; isNew: boolean }> {
    const { targetKind, reason, note = '' } = draft;
    const targetId = ObjectId.createFromHexString(draft.targetId);
    const reporterId = viewer._id;
    const target = await this.targets.get(targetKind, targetId, viewer);
    if (target.ownerId.equals(reporterId))
      throw new CodedError('report_self', 'You cannot report yourself or your own content.');
    const _id = reportIdOf(targetKind, targetId, reporterId);
    const caseId = caseIdOf(targetKind, targetId);
    return this.mongo.serializedTransaction(caseId, async (tx) => {
      const first = await findOne(this.reports, { _id }, OWN_FIELDS, { session: tx.session });
      if (first !== null) return { report: toReport(first), isNew: false };
      await this.requireBelowLimit(reporterId, tx);
      const weight = await this.weightOf(reporterId, tx);
      const createdAt = new Date();
      const report = { _id, caseId, reporterId, reason, note, weight, createdAt, closedAt: null, outcome: null };
      await this.reports.insertOne(report, { session: tx.session });
      await this.addToCase(report, { targetKind, targetId, ...target }, tx);
      return { report: toReport(report), isNew: true };
    });
  }

  /** Reports content without a reporter, for each rule that it matches. Idempotent while the case is open. */
  async createAutomatic({ targetKind, targetId, flags }: FlaggedContent): Promise<void> {
    const target = await this.targets.find(targetKind, targetId, SITE);
    if (target === null) return;
    const caseId = caseIdOf(targetKind, targetId);
    const fields = {
      ...{ caseId, reporterId: null, weight: 1, closedAt: null, outcome: null },
      reason: 'other',
    } as const;
    await this.mongo.serializedTransaction(caseId, async (tx) => {
      for (const { ruleId, note } of flags) {
        const _id = reportIdOf(targetKind, targetId, ruleId);
        if ((await findOne(this.reports, { _id, closedAt: null }, { _id: 1 }, { session: tx.session })) !== null)
          continue;
        const report: Report = { _id, ...fields, note, createdAt: new Date() };
        await this.reports.replaceOne({ _id }, report, { session: tx.session, upsert: true, runValidators: true });
        await this.addToCase(report, { targetKind, targetId, ...target }, tx);
      }
    });
  }

  /** Streams the reports of an account for its export, latest first. */
  @Exported('reports.jsonl')
  async *streamOwn(reporterId: ObjectId): AsyncGenerator<ReportDto, void, undefined> {
    const rows = streamMany(this.reports, { reporterId }, OWN_FIELDS, { sort: { createdAt: -1 } });
    for await (const row of rows) yield toReport(row);
  }

  /** A report of a closed case opens it again, with new counts and the current content. An opened case notifies moderators. */
  private async addToCase(
    report: Report,
    { content, ...about }: ReportTarget & Pick<ReportCase, 'targetKind' | 'targetId'>,
    tx: Transaction,
  ): Promise<void> {
    const _id = report.caseId;
    const fields = { weight: 1, reportsCount: 1, reasons: 1, lastAt: 1 } as const;
    const open = await findOne(this.cases, { _id, state: 'open' }, fields, { session: tx.session });
    const tally = addReport(open, report);
    if (open !== null) {
      await this.cases.updateOne({ _id }, { $set: tally }, { session: tx.session, runValidators: true });
      return;
    }
    const row: ReportCase = {
      ...{ _id, ...about, ...tally },
      state: 'open',
      title: content.title,
      reported: this.targets.encrypt(content),
      ...{ claimedBy: null, claimedUntil: null, closedAt: null, outcome: null, note: '' },
      firstAt: report.createdAt,
    };
    await this.cases.replaceOne({ _id }, row, { session: tx.session, upsert: true, runValidators: true });
    await tx.runHooks(CASE_OPENED, row);
    await this.activity.add(tx, [{ kind: 'case', actor: about.ownerId, target: about.targetId }]);
  }

  /** Concurrent requests may exceed the limit slightly, which is acceptable. */
  private async requireBelowLimit(reporterId: ObjectId, tx: Transaction): Promise<void> {
    const lastDay = { reporterId, createdAt: { $gt: new Date(Date.now() - DAY_MS) } };
    const count = await this.reports.countDocuments(lastDay, { limit: MAX_REPORTS_PER_DAY, session: tx.session });
    if (count < MAX_REPORTS_PER_DAY) return;
    const earliest = await findOne(
      this.reports,
      lastDay,
      { createdAt: 1 },
      { session: tx.session, sort: { createdAt: 1 } },
    );
    const retryAfterSeconds = Math.max(1, Math.ceil((earliest!.createdAt.getTime() + DAY_MS - Date.now()) / 1_000));
    const detail = `An account sends at most ${MAX_REPORTS_PER_DAY} reports a day; wait ${retryAfterSeconds} s.`;
    throw new CodedError('rate_limited', detail, { retryAfterSeconds });
  }

  private async weightOf(reporterId: ObjectId, tx: Transaction): Promise<number> {
    const dismissed = { reporterId, outcome: 'dismissed' } as const;
    // MongoDB deletes dismissed reports after 30 days.
    return weightOf(await this.reports.countDocuments(dismissed, { limit: MAX_DISMISSED, session: tx.session }));
  }
}
