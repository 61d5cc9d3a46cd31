import { Binary, ObjectId } from 'mongodb';
import type { Appeal } from '../../src/actions/appeal.schema.js';
import { EXAMPLE } from '../../src/common/examples.js';
import type { ModerationAction } from '../../src/moderation/moderation-action.schema.js';
import { caseIdOf, reportIdOf } from '../../src/reports/report-rules.js';
import type { ContentRule } from '../../src/rules/content-rule.schema.js';
import type { Report, ReportCase } from '../../src/reports/report.schema.js';
import { DEMO_ACCOUNTS } from '../../src/common/demo-accounts.js';
import type { Batch } from './document-types.js';

export const MODERATION_COUNTS = {
  ...{ reports: 1, report_cases: 1, moderation_actions: 2, appeals: 1 },
  ...{ content_rules: 1, content_rule_hits: 1 },
} as const;

const [WRITER, READER] = EXAMPLE.userIds.map((id) => ObjectId.createFromHexString(id)) as [ObjectId, ObjectId];
const [ACTION, APPEALED] = [EXAMPLE.actionId, EXAMPLE.appealedActionId].map((id) =>
  ObjectId.createFromHexString(id),
) as [ObjectId, ObjectId];

const COMMENT = ObjectId.createFromHexString(EXAMPLE.commentId);

/**
 * Yields an open case about the demo reader, two warnings of the demo writer by the operator, one with an appeal, and a rule that only stores
 * its hits.
 */
export function* moderationBatches(now: Date): Generator<Batch> {
  const caseId = caseIdOf('user', READER);
  const report: Report = {
    ...{ _id: reportIdOf('user', READER, WRITER), caseId, reporterId: WRITER, reason: 'spam', weight: 1 },
    ...{ note: 'Sends the same advertisement to everyone.', createdAt: now, closedAt: null, outcome: null },
  };
  const reportCase: ReportCase = {
    ...{ _id: caseId, targetKind: 'user', targetId: READER, ownerId: READER, state: 'open' },
    ...{ weight: 1, reportsCount: 1, reasons: { spam: 1 }, title: DEMO_ACCOUNTS[1]!.fullName },
    // Only the secret of a server could encrypt the content.
    reported: new Binary(new Uint8Array(1)),
    ...{ claimedBy: null, claimedUntil: null, firstAt: now, lastAt: now, closedAt: null, outcome: null, note: '' },
  };
  yield { collection: 'reports', documents: [report] };
  yield { collection: 'report_cases', documents: [reportCase] };
  yield {
    collection: 'moderation_actions',
    documents: [
      warning(APPEALED, 'Name the sources of your quotations.', now),
      warning(ACTION, 'Do not post the same text twice.', now),
    ],
  };
  const appeal: Appeal = {
    ...{ _id: APPEALED, userId: WRITER, seq: ObjectId.createFromTime(now.getTime() / 1_000) },
    ...{
      text: 'I named my sources in the first paragraph.',
      state: 'open',
      decidedBy: null,
      decidedAt: null,
      reason: '',
    },
  };
  yield { collection: 'appeals', documents: [appeal] };
  const [_id, value] = [ObjectId.createFromHexString(EXAMPLE.ruleId), 'buy followers'];
  const rule: ContentRule = {
    ...{ _id, kind: 'phrase', value, key: value, action: 'report', scope: ['post', 'comment', 'profile'] },
    ...{ isDryRun: true, createdAt: now, updatedAt: now },
  };
  yield { collection: 'content_rules', documents: [rule] };
  const latest = [{ targetKind: 'comment' as const, targetId: COMMENT, userId: READER, at: now }];
  yield { collection: 'content_rule_hits', documents: [{ _id, latest }] };
}

function warning(_id: ObjectId, publicReason: string, createdAt: Date): ModerationAction {
  return {
    ...{
      _id,
      actorId: null,
      actorRole: 'operator',
      kind: 'warn',
      targetKind: 'user',
      targetId: WRITER,
      ownerId: WRITER,
    },
    ...{ detail: null, reasonCode: 'other', publicReason, privateNote: '', until: null, caseId: null, reverses: null },
    createdAt,
  };
}
