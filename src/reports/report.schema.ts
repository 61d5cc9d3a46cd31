import type { Binary, ObjectId } from 'mongodb';
import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes } from 'mongoose';
import { declareValidator, exactShape } from '../platform/mongo/collection-validator.js';
import { schemaOptions } from '../platform/mongo/schema-options.js';
import {
  CASE_OUTCOMES,
  CASE_STATES,
  type CaseOutcome,
  type CaseState,
  REPORT_REASONS,
  REPORT_TARGET_KINDS,
  type ReportReason,
  type ReportTargetKind,
} from './report-rules.js';

export const REPORTS = 'reports';
export const CASES = 'report_cases';
/** MongoDB deletes closed cases and their reports after this time. */
const CLOSED_TTL = { expireAfterSeconds: 30 * 86_400 };

const id = { type: SchemaTypes.ObjectId, required: true };
const number = { type: Number, required: true };
const text = { type: String, required: true };
const time = { type: Date, required: true };
const outcome = { type: String, enum: CASE_OUTCOMES, default: null };

/** A report of one account, or of a rule for texts, about one target. */
@Schema(schemaOptions(REPORTS))
export class Report {
  /** reportIdOf(target, reporter or rule) */
  @Prop({ type: SchemaTypes.Buffer, required: true }) _id!: Binary;
  @Prop(text) caseId!: string;
  /** null for a rule */
  @Prop({ type: SchemaTypes.ObjectId, default: null }) reporterId!: ObjectId | null;
  @Prop({ ...text, enum: REPORT_REASONS }) reason!: ReportReason;
  @Prop({ default: '' }) note!: string;
  /** of the reporter at that time */
  @Prop(number) weight!: number;
  @Prop(time) createdAt!: Date;
  /** null while the case is open */
  @Prop({ type: Date, default: null }) closedAt!: Date | null;
  @Prop(outcome) outcome!: CaseOutcome | null;
}

/** The fields of a report that its reporter may see. */
export type OwnReport = Pick<Report, 'caseId' | 'reason' | 'note' | 'createdAt'>;

export const ReportSchema = SchemaFactory.createForClass(Report);
// GET /moderation/cases/:id: latest first; CasesService.close
ReportSchema.index({ caseId: 1, createdAt: -1 });
// ReportsService.create: the reports of a day; export and cleanup of the reporter
ReportSchema.index({ reporterId: 1, createdAt: -1 });
// ReportsService.create: dismissed reports of the reporter
ReportSchema.index({ reporterId: 1, outcome: 1 });
// the reports of a day, for GET /admin/stats
ReportSchema.index({ createdAt: 1 });
ReportSchema.index({ closedAt: 1 }, CLOSED_TTL);

declareValidator(ReportSchema, exactShape(ReportSchema, { reporterId: { bsonType: ['objectId', 'null'] } }));

/** indexes of the lists; each query hints its index */
export const CASE_LISTS = {
  weight: { state: 1, weight: -1, _id: -1 },
  oldest: { state: 1, firstAt: 1, _id: 1 },
  weightOfKind: { state: 1, targetKind: 1, weight: -1, _id: -1 },
  oldestOfKind: { state: 1, targetKind: 1, firstAt: 1, _id: 1 },
} as const;

/** All reports of one target since the last decision. */
@Schema(schemaOptions(CASES))
export class ReportCase {
  /** caseIdOf(target) */
  @Prop(text) _id!: string;
  @Prop({ ...text, enum: REPORT_TARGET_KINDS }) targetKind!: ReportTargetKind;
  @Prop(id) targetId!: ObjectId;
  /** the author of the target, or the reported account */
  @Prop(id) ownerId!: ObjectId;
  @Prop({ ...text, enum: CASE_STATES }) state!: CaseState;
  /** sum of the weights of the reports */
  @Prop(number) weight!: number;
  /** received reports; the reports of deleted accounts still count */
  @Prop(number) reportsCount!: number;
  @Prop({ type: SchemaTypes.Mixed, required: true }) reasons!: Partial<Record<ReportReason, number>>;
  /** title, name, or the beginning of a comment, at the first report */
  @Prop({ default: '' }) title!: string;
  /** ReportedContent at the first report, encrypted, because its author may have deleted it */
  @Prop({ type: SchemaTypes.Buffer, required: true }) reported!: Binary;
  @Prop({ type: SchemaTypes.ObjectId, default: null }) claimedBy!: ObjectId | null;
  @Prop({ type: Date, default: null }) claimedUntil!: Date | null;
  @Prop(time) firstAt!: Date;
  @Prop(time) lastAt!: Date;
  @Prop({ type: Date, default: null }) closedAt!: Date | null;
  @Prop(outcome) outcome!: CaseOutcome | null;
  /** of the moderator who closed the case, for other moderators */
  @Prop({ default: '' }) note!: string;
}

export const ReportCaseSchema = SchemaFactory.createForClass(ReportCase);
// GET /moderation/cases
ReportCaseSchema.index(CASE_LISTS.weight);
// GET /moderation/cases?sort=oldest
ReportCaseSchema.index(CASE_LISTS.oldest);
// GET /moderation/cases?kind=
ReportCaseSchema.index(CASE_LISTS.weightOfKind);
// GET /moderation/cases?kind=&sort=oldest
ReportCaseSchema.index(CASE_LISTS.oldestOfKind);
// GET /moderation/cases/:id: count of the cases of an author
ReportCaseSchema.index({ ownerId: 1 });
ReportCaseSchema.index({ closedAt: 1 }, CLOSED_TTL);

declareValidator(ReportCaseSchema, exactShape(ReportCaseSchema, { reasons: { bsonType: 'object' } }));
