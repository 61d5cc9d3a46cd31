import { ACTIVITY_KILLED } from '../support/kills/activity.js';
import { killDuring } from '../support/kills/kill-during.js';
import { useServer } from '../support/server.js';

/** The host starts a process that was killed often only after 10 s. */
const TIMEOUT_MS = 300_000 + 20_000 * ACTIVITY_KILLED.kills.length;

describe('a server whose processes are killed while facts wait', () => {
  const server = useServer({ processes: 2, jobs: true, people: 6, posts: 21 });

  it(`kill -9 ${ACTIVITY_KILLED.name}`, () => killDuring(server, ACTIVITY_KILLED), TIMEOUT_MS);
});
