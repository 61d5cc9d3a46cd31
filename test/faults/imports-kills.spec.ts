import { IMPORTS_KILLED } from '../support/kills/imports.js';
import { killDuring } from '../support/kills/kill-during.js';
import { useServer } from '../support/server.js';

/** The host starts a process that was killed often only after 10 s. */
const TIMEOUT_MS = 600_000 + 40_000 * IMPORTS_KILLED.kills.length;

describe('a server whose processes are killed during imports', () => {
  const server = useServer({ processes: 2, jobs: true, environment: { RATE_LIMIT_ENABLED: 'false' } });

  it(`kill -9 ${IMPORTS_KILLED.name}`, () => killDuring(server, IMPORTS_KILLED), TIMEOUT_MS);
});
