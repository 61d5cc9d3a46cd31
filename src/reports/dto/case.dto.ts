import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE } from '../../common/examples.js';
import { publicUrl } from '../../common/own-files.js';
import { ModerationActionDto, toModerationAction } from '../../moderation/moderation-action.dto.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { IsText, OptionalField } from '../../platform/http/validation/text-rules.js';
import { TransformText, trimAndCompose } from '../../platform/http/validation/transform-text.decorator.js';
import { MAX_CONTENT, MAX_SUBTITLE, MAX_TITLE } from '../../posts/post-rules.js';
import { MAX_JSON } from '../../rendering/rendered-html.js';
import { AuthorDto } from '../../users/author.dto.js';
import { USERNAME_SCHEMA } from '../../users/username.js';
import {
  type CaseDetails,
  type ShownCase,
  MAX_OTHER_CASES,
  MAX_SHOWN_ACTIONS,
  MAX_SHOWN_REPORTS,
  type ShownReport,
} from '../cases.service.js';
import { type Claim, claimOf } from '../report-plan.js';
import {
  CASE_ID,
  CASE_OUTCOMES,
  CASE_STATES,
  type CaseOutcome,
  type CaseState,
  MAX_REPORT_NOTE,
  REPORT_REASONS,
  REPORT_TARGET_KINDS,
  type ReportReason,
  type ReportTargetKind,
} from '../report-rules.js';
import type { ReportedContent } from '../report-targets.service.js';
import { TargetSummaryDto } from '../target-summary.dto.js';

const TIME = '2026-11-29T10:00:00.000Z';
const MODERATOR_ID = '6650c3a2f1d2b3c4d5e6f7b1';
const WEIGHT = { type: Number, format: 'double', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const OUTCOME = { type: String, enum: [...CASE_OUTCOMES, null], nullable: true } as const;
const TEXT = { type: String, maxLength: MAX_REPORT_NOTE } as const;
const TITLE = { type: String, maxLength: MAX_TITLE } as const;

export const CASE_ID_SCHEMA = {
  type: 'string',
  minLength: CASE_ID.minLength,
  maxLength: CASE_ID.maxLength,
  pattern: CASE_ID.pattern.source,
  example: `user-${EXAMPLE.userIds[1]}`,
} as const;

export class DismissCase {
  @OptionalField({ default: '', description: 'plain text, for other moderators', example: 'A misunderstanding.' })
  @TransformText(MAX_REPORT_NOTE, trimAndCompose)
  @IsText({ min: 0, max: MAX_REPORT_NOTE, message: `must be at most ${MAX_REPORT_NOTE} well-formed characters` })
  note?: string;
}

export class CaseClaimDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: MODERATOR_ID })
  moderatorId!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  until!: Date;
}

export class ShownClaimDto extends CaseClaimDto {
  @ApiProperty({ type: AuthorDto, nullable: true, description: '`moderatorId`; null if it was deleted' })
  moderator!: AuthorDto | null;
}

export class ReasonCountDto {
  @ApiProperty({ enum: REPORT_REASONS, example: 'spam' })
  reason!: ReportReason;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 3 })
  count!: number;
}

/** A case in lists. */
export class ReportCaseDto {
  @ApiProperty({ ...CASE_ID_SCHEMA, description: 'kind and id of the target' })
  id!: string;

  @ApiProperty({ enum: REPORT_TARGET_KINDS, example: 'user' })
  targetKind!: ReportTargetKind;

  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.userIds[1] })
  targetId!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    description: 'the author of the target, or the reported account',
    example: EXAMPLE.userIds[1],
  })
  ownerId!: string;

  @ApiProperty({
    ...TITLE,
    description: 'title, name, or the beginning of a comment, when it was reported',
    example: 'Rui Demo',
  })
  title!: string;

  @ApiProperty({ enum: CASE_STATES, example: 'open' })
  state!: CaseState;

  @ApiProperty({
    ...OUTCOME,
    description: 'of a closed case; `deleted`: the target was deleted; `acted`: a moderator acted',
    example: null,
  })
  outcome!: CaseOutcome | null;

  @ApiProperty({ ...WEIGHT, description: 'sum of the weights of the reports', example: 2.5 })
  weight!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'since the case was opened', example: 3 })
  reportsCount!: number;

  @ApiProperty({ type: [ReasonCountDto], maxItems: REPORT_REASONS.length, description: 'most frequent first' })
  reasons!: ReasonCountDto[];

  @ApiProperty({ type: ShownClaimDto, nullable: true, description: 'the moderator who works on it; null: none' })
  claim!: ShownClaimDto | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, description: 'of the first report', example: TIME })
  firstAt!: Date;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, description: 'of the last report', example: TIME })
  lastAt!: Date;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, nullable: true, example: null })
  closedAt!: Date | null;

  @ApiProperty({ ...TEXT, description: 'of the moderator who closed it; may be empty', example: '' })
  note!: string;

  @ApiProperty({ type: AuthorDto, nullable: true, description: '`ownerId`; null if it was deleted' })
  owner!: AuthorDto | null;

  @ApiProperty({ type: TargetSummaryDto, nullable: true, description: 'now; null if it was deleted' })
  content!: TargetSummaryDto | null;
}

export class ReportCasePage extends PageOf(ReportCaseDto) {}

export class ReportedContentDto {
  @ApiProperty({ ...TITLE, description: 'title, name, or the beginning of a comment', example: 'Rui Demo' })
  title!: string;

  @ApiProperty({
    maxLength: MAX_CONTENT + MAX_SUBTITLE + 2,
    description: 'subtitle and Markdown of a post, Markdown of a comment, description of a collection, or bio',
    example: 'Reads, votes, saves and follows.',
  })
  text!: string;

  @ApiProperty({ ...USERNAME_SCHEMA, example: 'demo_reader' })
  username!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.fileUrl,
    nullable: true,
    description: 'thumbnail or profile image',
    example: null,
  })
  imageUrl!: string | null;
}

export class CaseReportDto {
  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    nullable: true,
    description: 'null: a rule for texts, or the review of first posts; the note says which',
    example: EXAMPLE.userIds[0],
  })
  reporterId!: string | null;

  @ApiProperty({ type: AuthorDto, nullable: true, description: '`reporterId`; null for a rule' })
  reporter!: AuthorDto | null;

  @ApiProperty({ enum: REPORT_REASONS, example: 'spam' })
  reason!: ReportReason;

  @ApiProperty({ ...TEXT, description: 'may be empty', example: 'Sends the same advertisement to everyone.' })
  note!: string;

  @ApiProperty({
    ...WEIGHT,
    description: '1, halved by each report of the reporter dismissed in 30 days',
    example: 0.5,
  })
  weight!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: Date;

  @ApiProperty({ ...OUTCOME, description: 'of an earlier decision about the same target', example: null })
  outcome!: CaseOutcome | null;
}

export class ReportCaseDetailsDto extends ReportCaseDto {
  @ApiProperty({
    type: ReportedContentDto,
    nullable: true,
    description: 'at the first report; null if its encryption key is no longer configured',
  })
  reported!: ReportedContentDto | null;

  @ApiProperty({ type: ReportedContentDto, nullable: true, description: 'now; null if it was deleted' })
  current!: ReportedContentDto | null;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: MAX_JSON,
    description: 'sanitized, of a post or a comment: `current`, or `reported` if it was deleted; null for other kinds',
    example: null,
  })
  html!: string | null;

  @ApiProperty({ type: [CaseReportDto], maxItems: MAX_SHOWN_REPORTS, description: 'latest first' })
  reports!: CaseReportDto[];

  @ApiProperty({
    ...RESPONSE_SCHEMAS.count,
    maximum: MAX_OTHER_CASES,
    description: 'other cases about the same account: open, or closed within 30 days',
    example: 0,
  })
  otherCasesCount!: number;

  @ApiProperty({ type: [ModerationActionDto], maxItems: MAX_SHOWN_ACTIONS, description: 'on the target, latest first' })
  actions!: ModerationActionDto[];

  @ApiProperty({
    type: [ModerationActionDto],
    maxItems: MAX_SHOWN_ACTIONS,
    description: 'on the account and its content, latest first',
  })
  ownerActions!: ModerationActionDto[];
}

export function toClaim({ by, until }: Claim): CaseClaimDto {
  return { moderatorId: by.toHexString(), until };
}

export function toCase({ row: { _id, reasons, ...row }, owner, claimer, content }: ShownCase): ReportCaseDto {
  const claim = claimOf(row, new Date());
  const counts = Object.entries(reasons) as [ReportReason, number][];
  return {
    ...{ id: _id, targetKind: row.targetKind },
    ...{ targetId: row.targetId.toHexString(), ownerId: row.ownerId.toHexString() },
    ...{ title: row.title, state: row.state, outcome: row.outcome, weight: row.weight, reportsCount: row.reportsCount },
    reasons: counts.map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count),
    claim: claim && { ...toClaim(claim), moderator: claimer },
    ...{ firstAt: row.firstAt, lastAt: row.lastAt, closedAt: row.closedAt, note: row.note },
    ...{ owner, content },
  };
}

export function toCaseDetails({
  reported,
  current,
  html,
  reports,
  reporters,
  otherCasesCount,
  actions,
  ownerActions,
  ...shown
}: CaseDetails): ReportCaseDetailsDto {
  const contents = { reported: toContent(reported), current: toContent(current) };
  return {
    ...toCase(shown),
    ...contents,
    html,
    reports: reports.map((report) => toCaseReport(report, reporters)),
    otherCasesCount,
    actions: actions.map(toModerationAction),
    ownerActions: ownerActions.map(toModerationAction),
  };
}

function toContent(content: ReportedContent | null): ReportedContentDto | null {
  return content && { ...content, imageUrl: publicUrl(content.imageUrl) };
}

function toCaseReport(
  { reporterId: by, reason, note, weight, createdAt, outcome }: ShownReport,
  reporters: CaseDetails['reporters'],
): CaseReportDto {
  const reporterId = by?.toHexString() ?? null;
  const reporter = (reporterId && reporters.get(reporterId)) || null;
  return { reporterId, reporter, reason, note, weight, createdAt, outcome };
}
