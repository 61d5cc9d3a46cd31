import { MongoClient, MongoServerError } from 'mongodb';

/** `kept`: the server's own value is unchanged. `refused`: the backup must not continue. */
export type WindowResult = { state: 'open' } | { state: 'kept' | 'refused'; reason: string };

const PARAMETER = 'minSnapshotHistoryWindowInSeconds';
/** Longer than any backup, and a value that no operator sets. The history grows with the duration of the backup, not with this value. */
const RAISED_SECONDS = 86_399;
const UNAUTHORIZED = 13;

let restore = async (): Promise<void> => {};
let opening: Promise<void> = Promise.resolve();

process.once('message', (uri: string) => {
  opening = open(uri).then(
    (answer) => void process.send?.(answer),
    (error: Error) => void process.send?.({ state: 'refused', reason: `${PARAMETER} cannot be set: ${error.message}` }),
  );
});
// The backup has ended, or its process was killed.
process.once('disconnect', () => void close());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

async function close(): Promise<void> {
  await opening;
  try {
    await restore();
    process.exit(0);
  } catch (error) {
    console.error(`${PARAMETER} could not be put back: ${(error as Error).message}`);
    process.exit(1);
  }
}

async function open(uri: string): Promise<WindowResult> {
  const { client, member } = await connectToPrimary(uri);
  const admin = client.db('admin');
  restore = () => client.close();
  try {
    // `setParameter` returns the earlier value; `getParameter` would require a second role.
    const { was } = (await admin.command({ setParameter: 1, [PARAMETER]: RAISED_SECONDS })) as unknown as {
      was: number;
    };
    if (was === RAISED_SECONDS) {
      const command = `db.adminCommand({ setParameter: 1, ${PARAMETER}: 300 })`;
      return {
        state: 'refused',
        reason: `Another backup of ${member} is running. If there is none, its machine died: run ${command} there.`,
      };
    }
    restore = async () => {
      await admin.command({ setParameter: 1, [PARAMETER]: was });
      await client.close();
    };
    return { state: 'open' };
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== UNAUTHORIZED) throw error;
    restore = () => client.close();
    const reason =
      `The MongoDB user may not set ${PARAMETER} of ${member}: under writes the backup fails when it takes longer than that. ` +
      'Grant the user hostManager on admin.';
    return { state: 'kept', reason };
  }
}

/** Connects directly, because the parameter belongs to one member and is restored there, even if another member has become primary. */
async function connectToPrimary(uri: string): Promise<{ client: MongoClient; member: string }> {
  const client = await new MongoClient(uri, { maxPoolSize: 1 }).connect();
  const { me } = (await client.db('admin').command({ hello: 1 })) as { me: string };
  if (uri.startsWith('mongodb+srv:') || client.options.hosts.length === 1) return { client, member: me };
  await client.close();
  const direct = uri.replace(/^mongodb:\/\/([^@/?]*@)?[^/?]+/, (_, login: string = '') => `mongodb://${login}${me}`);
  return { client: await new MongoClient(direct, { maxPoolSize: 1, directConnection: true }).connect(), member: me };
}
