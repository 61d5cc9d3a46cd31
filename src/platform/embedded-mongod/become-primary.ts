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
 * Makes the server on this port a writable one-node replica set with this address, and sets the password of the application's account.
 * MongoMemoryReplSet cannot start on data with another port or password.
 * @param isPid checks the server, because another process may just have started its mongod on this port and this data
 * @throws when `signal` aborts
 */
export async function becomePrimary(
  port: number,
  password: string,
  isPid: (pid: number) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    // A client whose first connect failed stays closed, and mongod may take seconds to listen on a busy machine.
    const client = memberClient(port, password);
    try {
      const admin = client.db('admin');
      const { pid } = await admin.command({ serverStatus: 1 });
      if (isPid(Number(pid))) {
        while (!(await isPrimary(admin, `127.0.0.1:${port}`))) await sleep(25, undefined, { signal });
        return await setPassword(admin, password);
      }
    } catch {
      // The server is not yet primary.
    } finally {
      await client.close();
    }
    await sleep(25, undefined, { signal });
  }
}

/** Signs in with mongod's key file, which works before any user exists, also on old data and on a backup. */
function memberClient(port: number, password: string): MongoClient {
  return new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    auth: { username: '__system', password },
    authSource: 'local',
    authMechanism: 'SCRAM-SHA-256',
    serverSelectionTimeoutMS: 2_000,
    connectTimeoutMS: 2_000,
    maxPoolSize: 1,
    heartbeatFrequencyMS: 500,
  });
}

/** Runs one check and at most one command. Returns true when the server is a writable primary with this address. */
async function isPrimary(admin: Db, host: string): Promise<boolean> {
  const hello = await admin.command({ hello: 1 });
  if (hello.isWritablePrimary === true && hello.me === host) return true;

  const config = await readConfig(admin);
  if (!config) {
    await admin.command({ replSetInitiate: { _id: REPLICA_SET_NAME, members: [{ _id: 0, host }] } });
  } else if (config.members.length !== 1 || config.members[0]?.host !== host) {
    // A member that is no longer in the set (state REMOVED) accepts only a forced reconfiguration.
    const members = [{ ...config.members[0], _id: 0, host }];
    await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
  }
  return false;
}

async function setPassword(admin: Db, password: string): Promise<void> {
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
