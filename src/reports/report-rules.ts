import { Binary, ObjectId } from 'mongodb';
import { namedValues } from '../common/named-values.js';
import { type Reason, REASONS } from '../moderation/reasons.js';

/** `note`: those of a collection. The byte is part of the primary key of reports and must never change. */
const KIND_BYTES = { post: 1, comment: 2, user: 3, collection: 4, note: 5, profile: 6, media: 7 } as const;
export type ReportTargetKind = keyof typeof KIND_BYTES;
export const REPORT_TARGET_KINDS = namedValues('ReportTargetKind', Object.keys(KIND_BYTES) as ReportTargetKind[]);

export const REPORT_REASONS = REASONS;
export type ReportReason = Reason;

export const CASE_STATES = namedValues('CaseState', ['open', 'closed']);
export type CaseState = (typeof CASE_STATES)[number];
/** `deleted`: the reported content was deleted; `acted`: a moderator acted on the content or its author */
export const CASE_OUTCOMES = namedValues('CaseOutcome', ['dismissed', 'deleted', 'acted']);
export type CaseOutcome = (typeof CASE_OUTCOMES)[number];

export const MAX_REPORT_NOTE = 500;
/** per account, in any 24 hours */
export const MAX_REPORTS_PER_DAY = 60;
export const CLAIM_MS = 15 * 60_000;

/** `post-6650c3a2f1d2b3c4d5e6f708` */
export const CASE_ID = {
  minLength: 29,
  maxLength: 35,
  pattern: /^(post|comment|user|collection|note|profile|media)-[0-9a-f]{24}$/,
};

/** Returns the primary key of the case of a target. */
export function caseIdOf(kind: ReportTargetKind, targetId: ObjectId): string {
  return `${kind}-${targetId.toHexString()}`;
}

/** Returns the primary key of a report, which is unique per target and reporter (or rule): 25 bytes. */
export function reportIdOf(kind: ReportTargetKind, targetId: ObjectId, reporterId: ObjectId): Binary {
  return new Binary(Buffer.concat([targetId.id, Buffer.of(KIND_BYTES[kind]), reporterId.id]));
}

/** The inverse of `caseIdOf`. */
export function targetOf(caseId: string): { targetKind: ReportTargetKind; targetId: string } {
  const [targetKind, targetId] = caseId.split('-') as [ReportTargetKind, string];
  return { targetKind, targetId };
}
