import type { Topic } from '../common/topic.js';
import type { ReportCase } from './report.schema.js';

/** Hook: the first report of content since its last case. */
export const CASE_OPENED: Topic<Pick<ReportCase, 'targetKind' | 'targetId'>> = { name: 'case.opened' };
