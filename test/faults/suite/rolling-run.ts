import { MongoClient } from 'mongodb';
import { SpawnedHost } from '../../support/spawned-host.js';
import { insertAccounts, Tokens } from './cast.js';
import { Mongods } from './mongods.js';
import { readsAndWrites, restartUnderLoad, type RollingReport } from './rolling-restarts.js';
import { hostEnvironment, runCli, writePosts } from './server-under-test.js';

const CONNECTIONS = 24;

/** A server of its own, restarted again and again under load. Leaves nothing behind. */
export async function runRolling(binary: string, restarts: number): Promise<RollingReport> {
  const mongods = await Mongods.start(binary, 1);
  const host = new SpawnedHost('dist/src/main.js', await hostEnvironment(mongods.uri));
  const client = new MongoClient(mongods.uri);
  try {
    await runCli(host, ['indexes', 'create']);
    const accounts = await insertAccounts(client.db('faults'), 4);
    host.start();
    const url = await host.url();
    const tokens = new Tokens();
    const [postId] = await writePosts(url, tokens, accounts, 40);
    const kinds = readsAndWrites(tokens.of(accounts[0]!), postId!);
    return await restartUnderLoad({ host, url, restarts, connections: CONNECTIONS, kinds });
  } finally {
    await client.close();
    await host.remove();
    await mongods.remove();
  }
}
