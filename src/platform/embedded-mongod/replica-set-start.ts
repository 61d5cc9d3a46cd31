import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoClient, MongoServerError } from 'mongodb';
import { REPLICA_SET_NAME } from './mongod-arguments.js';

/** The account of the application on its own mongod. */
export const MONGOD_ACCOUNT = 'opencanvas';

const NOT_YET_INITIALIZED = 94;
const USER_NOT_FOUND = 11;

interface ReplicaSetConfig {
  version: number;
  members: { _id: number; host: string }[];
}

/**
 * Makes the server on this port a writable one-node replica set under this address, and lets the application's account in. Gives up
 * when `signal` aborts.
 */
export async function becomeWritablePrimary(
  port: number,
  dbPath: string,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  let client: MongoClient | undefined;
  try {
    let lastError: unknown;
    while (!signal.aborted) {
      try {
        // A client whose first connect failed stays closed for good, and on a busy machine mongod may take seconds to listen.
        client ??= await connect(port, password);
        const admin = client.db('admin');
        if (await step(admin, `127.0.0.1:${port}`, dbPath)) return await letApplicationIn(admin, password);
      } catch (error) {
        lastError = error;
      }
      await sleep(25);
    }
    throw lastError instanceof Error ? lastError : new Error('the server did not become primary');
  } finally {
    await client?.close();
  }
}

/** As the account that mongod makes of its key file: it is there before any user, also on old data and on a backup. */
async function connect(port: number, password: string): Promise<MongoClient> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    auth: { username: '__system', password },
    authSource: 'local',
    authMechanism: 'SCRAM-SHA-256',
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 2_000,
    maxPoolSize: 1,
    heartbeatFrequencyMS: 500,
  });
  try {
    return await client.connect();
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** One look and at most one command; true when the server is a writable primary under this address. */
async function step(admin: Db, host: string, dbPath: string): Promise<boolean> {
  const options = (await admin.command({ getCmdLineOpts: 1 })) as { parsed: { storage?: { dbPath?: string } } };
  // Between our probe and mongod's bind another server may have taken the port; ours is about to say so and exit.
  if (options.parsed.storage?.dbPath !== dbPath) throw new Error(`another server answers on ${host}`);
  const hello = await admin.command({ hello: 1 });
  if (hello.isWritablePrimary === true && hello.me === host) return true;

  const config = await readConfig(admin);
  if (!config) {
    await admin.command({ replSetInitiate: { _id: REPLICA_SET_NAME, members: [{ _id: 0, host }] } });
  } else if (config.members.length !== 1 || config.members[0]?.host !== host) {
    // force: a member that no longer finds itself in the set (state REMOVED) may do nothing else
    const members = [{ ...config.members[0], _id: 0, host }];
    await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
  }
  return false;
}

async function letApplicationIn(admin: Db, password: string): Promise<void> {
  const account = { pwd: password, roles: ['root'], mechanisms: ['SCRAM-SHA-256'] };
  try {
    await admin.command({ updateUser: MONGOD_ACCOUNT, ...account });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== USER_NOT_FOUND) throw error;
    await admin.command({ createUser: MONGOD_ACCOUNT, ...account });
  }
}

async function readConfig(admin: Db): Promise<ReplicaSetConfig | null> {
  try {
    return ((await admin.command({ replSetGetConfig: 1 })) as { config: ReplicaSetConfig }).config;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NOT_YET_INITIALIZED) return null;
    throw error;
  }
}
