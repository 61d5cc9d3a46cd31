import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useMongoModule } from '../support/mongo-module.js';
import { describeWith } from '../support/optional.js';
import { ROOT } from '../support/spawned-host.js';
import { until } from '../support/until.js';

type Counter = { _id: string; n: number };

/** Begins a transaction, as a server does, and commits it on a signal. */
const HOLDER = `
  import { MongoClient } from 'mongodb';
  import { OrphanedTransactions } from '${join(ROOT, 'dist/src/platform/mongo/orphaned-transactions.js')}';
  const [uri, name] = process.argv.slice(-2);
  const client = new MongoClient(uri);
  const session = client.startSession();
  await new OrphanedTransactions(() => client.db(name)).track(session.id.id);
  session.startTransaction();
  await client.db(name).collection('counters').updateOne({ _id: 'a' }, { $inc: { n: 100 } }, { session });
  console.log('open as pid', process.pid);
  process.stdin.once('data', async () => {
    await session.commitTransaction().then(() => console.log('committed'), (error) => console.log(error.message));
    process.exit();
  });`;

/** A new pid namespace makes a process look like a container, because its pid does not exist outside. */
const IN_NAMESPACE = `
  echo $(( $(cat /proc/sys/kernel/pid_max) - 9 )) > /proc/sys/kernel/ns_last_pid
  "$@"; exit $?`;

describeWith('unshare', 'two containers with the same host name', (unshare) => {
  const database = useMongoModule();
  let child: ChildProcess;

  afterEach(() => void child.kill('SIGKILL'));

  it('do not end each other’s running transactions', async () => {
    const mongo = (await database.open()).get(MongoService);
    const counters = mongo.collection<Counter>('counters');
    await counters.insertOne({ _id: 'a', n: 0 });
    const node = [process.execPath, '--input-type=module', '-e', HOLDER, database.uri, database.dbName];
    const options = ['--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', IN_NAMESPACE, 'sh', ...node];
    child = spawn(unshare, options, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    child.stdout!.on('data', (chunk) => (output += String(chunk)));
    await until(() => (output.includes('open') ? true : null));

    const waiting = mongo.transaction((tx) =>
      counters.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: tx.session, upsert: true }),
    );
    // The write conflicts with the open transaction repeatedly and searches for dead processes.
    await sleep(2_000);
    child.stdin!.write('commit\n');
    await until(
      () => /committed|transaction/i.exec(output.replace(/^open.*/, '')),
      () => output,
    );
    expect(output).toContain('committed');
    await waiting;
    expect(await counters.findOne({ _id: 'a' })).toEqual({ _id: 'a', n: 101 });
  });
});
