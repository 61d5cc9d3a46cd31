import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';
import { verify } from '@node-rs/argon2';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from './common/demo-accounts.js';
import { StartupError } from './common/errors.js';
import type { AppConfig } from './config/app-config.js';
import { withClient } from './platform/mongo/with-client.js';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Prevents a public server with the demo accounts, because one is an administrator and their password is in the README.
 * @throws StartupError unless the operator allows these accounts
 */
export async function assertNoDemoAccounts(config: AppConfig): Promise<void> {
  const { auth, mongo } = config;
  if (auth.allowDemoAccounts) return;
  const exposure = await exposureOf(config);
  if (exposure === undefined) return;
  const names = await withClient(mongo, async (db) => {
    const found: string[] = [];
    const credentials = db.collection<{ email: string; passwordHash: string | null }>('credentials');
    for (const { email, username } of DEMO_ACCOUNTS) {
      const row = await credentials.findOne({ email }, { projection: { passwordHash: 1 } });
      const hash = row?.passwordHash ?? null;
      if (hash !== null && (await verify(hash, DEMO_PASSWORD))) found.push(username);
    }
    return found;
  });
  if (names.length === 0) return;
  throw new StartupError(
    `${exposure} would let others sign in as ${names.join(', ')}, whose password is in the README: ` +
      'delete these accounts (`cli accounts end NAME --yes`), use another database, or set AUTH_ALLOW_DEMO_ACCOUNTS=true.',
  );
}

/** Returns the setting by which other machines can reach this server, directly or through a local proxy. */
async function exposureOf({ http, isProduction }: AppConfig): Promise<string | undefined> {
  if (!(await isLoopback(http.host))) return `HTTP_HOST=${http.host}`;
  if (http.trustedProxies.length > 0) return `HTTP_TRUSTED_PROXIES=${http.trustedProxies.join(',')}`;
  if (http.publicUrl !== undefined && !(await isLoopback(new URL(http.publicUrl).hostname)))
    return `HTTP_PUBLIC_URL=${http.publicUrl}`;
  return isProduction ? 'NODE_ENV=production' : undefined;
}

async function isLoopback(host: string): Promise<boolean> {
  // An unknown name counts as another machine.
  const addresses = await lookup(host.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  return (
    addresses.length > 0 &&
    addresses.every(({ address, family }) => LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4'))
  );
}
