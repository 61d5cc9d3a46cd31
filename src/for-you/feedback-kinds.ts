import { namedValues } from '../common/named-values.js';

export const FEEDBACK_KINDS = namedValues('FeedbackKind', ['more', 'less']);
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number];
