/** The reasons of reports and of actions on content and accounts. */
export const REASONS = [
  'spam',
  'harassment',
  'hate',
  'violence',
  'sexual',
  'illegal',
  'misinformation',
  'other',
] as const;
export type Reason = (typeof REASONS)[number];
