import type { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import type { Report, ReportCase } from './report.schema.js';

const MIN_WEIGHT = 0.1;
/** More dismissed reports change no weight. */
export const MAX_DISMISSED = 4;

/** The fields of a case that a report changes. */
export type CaseTally = Pick<ReportCase, 'weight' | 'reportsCount' | 'reasons' | 'lastAt'>;

/** Returns the weight of a reporter: halved by each recently dismissed report. */
export function weightOf(dismissedCount: number): number {
  return Math.max(MIN_WEIGHT, 0.5 ** dismissedCount);
}

/** Adds a report. @param open null if the report opens the case */
export function addReport(
  open: CaseTally | null,
  { weight, reason, createdAt }: Pick<Report, 'weight' | 'reason' | 'createdAt'>,
): CaseTally {
  const before: CaseTally = open ?? { weight: 0, reportsCount: 0, reasons: {}, lastAt: createdAt };
  return {
    weight: before.weight + weight,
    reportsCount: before.reportsCount + 1,
    reasons: { ...before.reasons, [reason]: (before.reasons[reason] ?? 0) + 1 },
    lastAt: before.lastAt > createdAt ? before.lastAt : createdAt,
  };
}

export type Claim = { by: ObjectId; until: Date };
type ClaimFields = Pick<ReportCase, 'claimedBy' | 'claimedUntil'>;

/** Returns the claim of a case, or null if there is none or it has expired. */
export function claimOf({ claimedBy: by, claimedUntil: until }: ClaimFields, now: Date): Claim | null {
  return by !== null && until !== null && until > now ? { by, until } : null;
}

/** @throws CodedError `case_claimed` if another moderator has claimed the case */
export function requireUnclaimed(row: ClaimFields, by: ObjectId, now: Date): void {
  const claim = claimOf(row, now);
  if (claim === null || claim.by.equals(by)) return;
  throw new CodedError('case_claimed', `Another moderator works on this case until ${claim.until.toISOString()}.`);
}

/**
 * @param isAlone whether no other moderator can decide
 * @throws CodedError `forbidden` for a case about own content unless the moderator is alone, `case_closed`, `case_claimed`
 */
export function requireDecidable(
  row: ClaimFields & Pick<ReportCase, 'state' | 'ownerId'>,
  by: ObjectId,
  now: Date,
  isAlone = false,
): void {
  if (!isAlone && row.ownerId.equals(by))
    throw new CodedError('forbidden', 'Another moderator must decide cases about you.');
  if (row.state === 'closed') throw new CodedError('case_closed', 'This case is already closed.');
  requireUnclaimed(row, by, now);
}
