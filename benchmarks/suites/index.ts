import { JOURNEY } from './journey.js';
import { LOAD_SUITES } from './load-shapes.js';
import { MORE_READ_SUITES } from './more-reads.js';
import { READ_SUITES } from './reads.js';
import type { Suite } from './suite.js';
import { WRITE_SUITES } from './writes.js';

/** Every suite, in the order they run: reads before writes, so that no write can disturb them. */
export const SUITES: readonly Suite[] = [...READ_SUITES, ...MORE_READ_SUITES, ...LOAD_SUITES, JOURNEY, ...WRITE_SUITES];
