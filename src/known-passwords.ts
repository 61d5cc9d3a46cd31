import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';
import { verify } from '@node-rs/argon2';
import { MongoClient } from 'mongodb';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '../seeds/demo-accounts.js';
import type { CredentialDocument } from '../seeds/documents/document-types.js';
import { StartupError } from './common/errors.js';
import type { AppConfig } from './config/app-config.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * The README prints the password of the dataset's accounts, an administrator among them: they are for this machine, unless the operator says otherwise.
 * @throws StartupError
 */
export async function refuseKnownPasswords({ http, auth, mongo }: AppConfig): Promise<void> {
  if (auth.allowDemoAccounts || (await isLoopback(http.host))) return;
  const client = new MongoClient(mongo.uri!);
  try {
    const names: string[] = [];
    const credentials = client.db(mongo.database).collection<CredentialDocument>('credentials');
    for (const { email, username } of DEMO_ACCOUNTS) {
      const row = await credentials.findOne({ email }, { projection: { passwordHash: 1 } });
      const hash = row?.passwordHash ?? null;
      if (hash !== null && (await verify(hash, DEMO_PASSWORD))) names.push(username);
    }
    if (names.length === 0) return;
    throw new StartupError(
      `HTTP_HOST=${http.host} would let others sign in as ${names.join(', ')}, whose password is in the README: ` +
        'delete these accounts (serve on 127.0.0.1, sign in, DELETE /v1/users/me), use another database, or set AUTH_ALLOW_DEMO_ACCOUNTS=true.',
    );
  } finally {
    await client.close();
  }
}

async function isLoopback(host: string): Promise<boolean> {
  const addresses = await lookup(host, { all: true });
  return addresses.every(({ address, family }) => LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4'));
}
