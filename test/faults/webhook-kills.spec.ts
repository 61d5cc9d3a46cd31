import { killDuring } from '../support/kills/kill-during.js';
import { webhooksKilled } from '../support/kills/webhooks.js';
import { useServer } from '../support/server.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const receiver = await WebhookReceiver.start();
const WEBHOOKS_KILLED = webhooksKilled(receiver);
/** The host starts a process that was killed often only after 10 s; a killed attempt is repeated after 15 s. */
const TIMEOUT_MS = 300_000 + 40_000 * WEBHOOKS_KILLED.kills.length;

describe('a server whose processes are killed while webhooks wait', () => {
  const server = useServer({
    processes: 2,
    jobs: true,
    environment: { OUTGOING_ALLOWED_PRIVATE: receiver.host },
  });
  afterAll(() => receiver.stop());

  it(`kill -9 ${WEBHOOKS_KILLED.name}`, () => killDuring(server, WEBHOOKS_KILLED), TIMEOUT_MS);
});
