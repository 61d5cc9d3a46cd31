import {
  type Document,
  MongoClient,
  MongoParseError,
  MongoServerError,
  MongoServerSelectionError,
  type TopologyDescription,
} from 'mongodb';
import { StartupError } from '../../common/errors.js';

type Target = {
  uri: string;
  dbName: string;
  serverSelectionTimeoutMs: number;
  /** the time for a replica set to elect a primary */
  electionTimeoutMs?: number;
  /** of the mongod that this host has started; undefined for MONGODB_URI */
  embeddedLog?: string | undefined;
};

/** An election takes up to 12 seconds by default, and members start later than this host after a power cut. */
const ELECTION_TIMEOUT_MS = 30_000;

const AUTHENTICATION_FAILED = 18;
const UNAUTHORIZED = 13;
/** The privileges that the server needs on its database. The role readWrite includes them. */
const REQUIRED_ACTIONS = ['find', 'insert', 'update', 'remove', 'changeStream']
  .concat(['listCollections', 'createCollection', 'listIndexes', 'createIndex', 'dropIndex'])
  .sort();

/**
 * Checks the database before the start. Waits while a replica set has no primary.
 * @throws StartupError if the database is unreachable, rejects the password, lacks privileges, is a mongos, or is not a replica set, which
 * transactions and majority writes require
 */
export async function checkDeployment(target: Target): Promise<void> {
  const { uri, dbName, serverSelectionTimeoutMs, electionTimeoutMs = ELECTION_TIMEOUT_MS } = target;
  let client: MongoClient;
  try {
    client = new MongoClient(uri, {
      serverSelectionTimeoutMS: serverSelectionTimeoutMs,
      connectTimeoutMS: serverSelectionTimeoutMs,
      maxPoolSize: 1,
    });
  } catch (error) {
    throw new StartupError(`MONGODB_URI cannot be read: ${(error as Error).message}.`);
  }
  const hosts = client.options.hosts.map(String).join(', ') || client.options.srvHost || 'its host';
  try {
    const hello = await sayHello(client, performance.now() + electionTimeoutMs);
    if (hello.msg === 'isdbgrid') {
      throw new StartupError(
        `The MongoDB at ${hosts} is a mongos, and sharded clusters are not supported: give MONGODB_URI the members of one replica set.`,
      );
    }
    if (hello.setName === undefined) {
      throw new StartupError(
        `The MongoDB at ${hosts} is a standalone server, and a replica set is needed (one node is enough): ` +
          'start it with --replSet rs0 and run rs.initiate() once, or unset MONGODB_URI to use the embedded server.',
      );
    }
    await client
      .db(dbName)
      .collection('leases')
      .findOne({}, { projection: { _id: 1 } });
    await requireReadWrite(client, dbName);
  } catch (error) {
    throw error instanceof StartupError ? error : new StartupError(explain(error, hosts, target, client), error);
  } finally {
    await client.close();
  }
}

/** Retries until `deadline` while members of the replica set respond but none is the primary. */
async function sayHello(client: MongoClient, deadline: number): Promise<Document> {
  for (;;) {
    try {
      return await client.db('admin').command({ hello: 1 });
    } catch (error) {
      const isElecting = error instanceof MongoServerSelectionError && hasMembers(error.reason);
      if (!isElecting || performance.now() > deadline) throw error;
    }
  }
}

function hasMembers(topology: TopologyDescription | undefined): boolean {
  return [...(topology?.servers.values() ?? [])].some(({ type }) => type.startsWith('RS'));
}

type Privilege = { resource: { db?: string; anyResource?: boolean }; actions: string[] };
type ConnectionStatus = {
  authInfo: { authenticatedUsers: { user: string }[]; authenticatedUserPrivileges: Privilege[] };
};

/** Without this check, the server would start with a read-only user and fail on every write. */
async function requireReadWrite(client: MongoClient, dbName: string): Promise<void> {
  const status = await client.db('admin').command({ connectionStatus: 1, showPrivileges: true });
  const { authenticatedUsers, authenticatedUserPrivileges } = (status as unknown as ConnectionStatus).authInfo;
  if (authenticatedUsers.length === 0) return;
  const granted = authenticatedUserPrivileges
    .filter(({ resource }) => resource.anyResource || resource.db === '' || resource.db === dbName)
    .flatMap(({ actions }) => actions);
  const missing = REQUIRED_ACTIONS.filter((action) => !granted.includes(action) && !granted.includes('anyAction'));
  if (missing.length === 0) return;
  throw new StartupError(
    `The MongoDB user ${authenticatedUsers[0]!.user} lacks rights on the database ${dbName} (${missing.join(', ')}): grant readWrite on it.`,
  );
}

function explain(error: unknown, hosts: string, { dbName, embeddedLog }: Target, client: MongoClient): string {
  if (embeddedLog !== undefined)
    return `The embedded MongoDB does not respond (${(error as Error).message}): ${embeddedLog} may say why.`;
  if (error instanceof MongoServerSelectionError)
    return explainSelection(error.reason, hosts, client.options.replicaSet);
  if (error instanceof MongoServerError && error.code === AUTHENTICATION_FAILED) {
    return `MongoDB at ${hosts} refused the user name or the password in MONGODB_URI (check authSource too).`;
  }
  if (error instanceof MongoServerError && error.code === UNAUTHORIZED) {
    const who = client.options.credentials?.username;
    return who
      ? `The MongoDB user ${who} may not read the database ${dbName}: grant readWrite on it.`
      : `MongoDB at ${hosts} wants a login: put a user name and a password into MONGODB_URI.`;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof MongoParseError) return `MONGODB_URI cannot be read: ${message}.`;
  if ((error as NodeJS.ErrnoException).syscall?.startsWith('query'))
    return `The DNS records of ${hosts} in MONGODB_URI cannot be read: ${message}.`;
  return `MongoDB at ${hosts} cannot be used: ${message}.`;
}

function explainSelection(
  topology: TopologyDescription | undefined,
  hosts: string,
  replicaSet: string | undefined,
): string {
  const servers = [...(topology?.servers.values() ?? [])];
  const reasons = servers.flatMap(({ error }) =>
    error ? [error.cause instanceof Error ? error.cause.message : error.message] : [],
  );
  if (reasons.some((reason) => reason.includes('ENOTFOUND') || reason.includes('EAI_AGAIN'))) {
    return `The host of MONGODB_URI (${hosts}) is not known: check its name.`;
  }
  const closed = servers.filter(({ error }) => String(error?.cause ?? error).includes('ECONNREFUSED'));
  const isClosed = closed.length > 0 && closed.length === servers.length;
  if (isClosed) return `No MongoDB listens at ${hosts}: start it, or check MONGODB_URI.`;
  if (replicaSet && reasons.length === 0 && servers.every(({ type }) => type === 'Unknown')) {
    return `The MongoDB at ${hosts} is not a member of the replica set ${replicaSet} that MONGODB_URI names (it may be a standalone server): start it with --replSet ${replicaSet}.`;
  }
  if (hasMembers(topology)) {
    const missing =
      closed.length === 0 ? '' : `; no MongoDB listens at ${closed.map(({ address }) => address).join(', ')}`;
    return `The replica set at ${hosts} has no primary now: check its members (rs.status())${missing}.`;
  }
  return `MongoDB at ${hosts} cannot be reached: ${reasons[0] ?? 'it did not respond in time'}.`;
}
