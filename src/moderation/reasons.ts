import { namedValues } from '../common/named-values.js';

/** The reasons of reports and of actions on content and accounts. */
export const REASONS = namedValues('ReportReason', [
  'spam',
  'harassment',
  'hate',
  'violence',
  'sexual',
  'illegal',
  'misinformation',
  'other',
]);
export type Reason = (typeof REASONS)[number];
