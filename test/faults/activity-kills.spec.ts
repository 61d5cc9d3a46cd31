import { ACTIVITY_KILLED } from '../support/kills/activity.js';
import { killDuring } from '../support/kills/kill-during.js';
import { useServer } from '../support/server.js';

describe('a server whose processes are killed while facts wait', () => {
  const server = useServer({ processes: 2, jobs: true, people: 6, posts: 21 });

  it(`kill -9 ${ACTIVITY_KILLED.name}`, () => killDuring(server, ACTIVITY_KILLED));
});
