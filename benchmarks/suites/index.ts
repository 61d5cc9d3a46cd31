import { STUDIES } from './case-studies.js';
import { TRACING, WEBHOOKS } from './connected.js';
import { DISCOVERY } from './discovery.js';
import { FEED_FOLLOWING } from './feed-following.js';
import { FOOTPRINT } from './footprint.js';
import { IMPORTS } from './imports.js';
import { INDEX_BUILD } from './index-build.js';
import { VOTE_HOSTS } from './hosts.js';
import { JOB_SUITES } from './jobs.js';
import { JOURNEY } from './journey.js';
import { LOAD_SUITES } from './load-shapes.js';
import { LOGIN } from './login.js';
import { MORE_READ_SUITES } from './more-reads.js';
import { OPENCANVAS_READ_SUITES, VOTE_TOGGLED } from './opencanvas.js';
import { PAGE_SUITES } from './pages.js';
import { POCKETBASE } from './pocketbase.js';
import { PUBLISH } from './publish.js';
import { REAL_REQUEST_SUITES } from './real-requests.js';
import { READ_SUITES } from './reads.js';
import { SEARCH_SUITES } from './search.js';
import { STRESS_SUITES } from './stress.js';
import type { Suite } from './suite.js';
import { WRITE_SUITES } from './writes.js';
import { UPLOADS } from './uploads.js';
import { WRITING_SUITES } from './writing.js';

/** Every suite, in the order of the run. Suites that only read come before suites that write. */
export const SUITES: readonly Suite[] = [
  ...READ_SUITES,
  ...MORE_READ_SUITES,
  ...PAGE_SUITES,
  ...OPENCANVAS_READ_SUITES,
  FEED_FOLLOWING,
  ...SEARCH_SUITES,
  DISCOVERY,
  ...LOAD_SUITES,
  JOURNEY,
  ...STRESS_SUITES,
  LOGIN,
  ...JOB_SUITES,
  ...WRITING_SUITES,
  UPLOADS,
  IMPORTS,
  PUBLISH,
  WEBHOOKS,
  TRACING,
  ...WRITE_SUITES,
  VOTE_TOGGLED,
  ...REAL_REQUEST_SUITES,
  VOTE_HOSTS,
  STUDIES,
  FOOTPRINT,
  INDEX_BUILD,
  POCKETBASE,
];

export { REMOTE_SUITES } from './remote.js';
