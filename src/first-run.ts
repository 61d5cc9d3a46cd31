import { setupCodeOf } from './config/token-secrets.js';
import type { Host } from './platform/cluster/host-start.js';
import { logInfo } from './platform/cluster/process-log.js';
import { withClient } from './platform/mongo/with-client.js';

/** Prints how to create the first admin, until it exists. The code is invalid afterwards. */
export async function announceSetup({ config: { auth, mongo, site } }: Host): Promise<void> {
  const isDone = await withClient(
    mongo,
    async (db) =>
      (await db.collection('users').findOne({ role: 'admin', deletedAt: null }, { projection: { _id: 1 } })) !== null ||
      (await db.collection('site_settings').findOne()) !== null,
  );
  if (isDone) return;
  const code = setupCodeOf(auth.tokenSecrets);
  const how = site.hasMailPages
    ? `open ${site.mailPages}/welcome#code=${code}`
    : `POST /v1/instance/setup with the code ${code}`;
  logInfo(`No account is an admin: ${how}`);
}
