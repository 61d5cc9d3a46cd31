import { hash } from '@node-rs/argon2';
import { ObjectId } from 'mongodb';
import { DEMO_ACCOUNTS } from '../../src/common/demo-accounts.js';
import { demoCredentials } from '../../seeds/documents/demo-credentials.js';
import { AppConfig } from '../../src/config/app-config.js';
import { ENV_SCHEMA } from '../../src/config/env.schema.js';
import { assertNoDemoAccounts } from '../../src/demo-accounts-check.js';
import { testEnvironment } from '../support/app.js';
import { useDatabase } from '../support/mongo.js';

describe('accounts with the password of the README', () => {
  const { db, dbName } = useDatabase();
  const check = (HTTP_HOST: string, more: Record<string, string> = {}) => {
    const environment = testEnvironment({ MONGODB_DATABASE: dbName, HTTP_HOST, ...more });
    return assertNoDemoAccounts(new AppConfig(ENV_SCHEMA.parse(environment)));
  };
  beforeEach(async () => {
    await db.dropDatabase();
    await db.collection('credentials').insertMany(await demoCredentials(1, new Date(), () => new ObjectId()));
  });

  it.each(['0.0.0.0', '::', '192.0.2.1'])('are refused on %s', async (host) => {
    const names = DEMO_ACCOUNTS.map(({ username }) => username).join(', ');
    await expect(check(host)).rejects.toThrow(`HTTP_HOST=${host} would let others sign in as ${names},`);
  });

  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('are served on %s', (host) => check(host));

  it.each([
    ['HTTP_TRUSTED_PROXIES', '10.0.0.0/8'],
    ['HTTP_PUBLIC_URL', 'https://press.example'],
    ['NODE_ENV', 'production'],
  ])('are refused on loopback with %s=%s', async (name, value) => {
    await expect(check('127.0.0.1', { [name]: value })).rejects.toThrow(`${name}=${value} would let others sign in as`);
  });

  it('are served with a public address on this machine', () =>
    check('127.0.0.1', { HTTP_PUBLIC_URL: 'http://localhost:8080' }));

  it('are served if the operator allows them', () => check('0.0.0.0', { AUTH_ALLOW_DEMO_ACCOUNTS: 'true' }));

  it('are named one by one, without changed passwords and deleted accounts', async () => {
    const { email } = DEMO_ACCOUNTS[0]!;
    await db.collection('credentials').updateOne({ email }, { $set: { passwordHash: await hash('another one') } });
    await db.collection('credentials').deleteOne({ email: DEMO_ACCOUNTS[1]!.email });
    await expect(check('0.0.0.0')).rejects.toThrow('sign in as demo_moderator, demo_admin, whose');
    await db.collection('credentials').deleteMany({ email: { $ne: email } });
    await check('0.0.0.0');
  });
});
