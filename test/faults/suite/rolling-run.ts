import { MongoClient } from 'mongodb';
import { insertAccounts, Tokens } from './cast.js';
import { Fleet, type FleetOptions } from './fleet.js';
import { Mongods } from './mongods.js';
import { readsAndWrites, restartUnderLoad, type RollingReport } from './rolling-restarts.js';
import { writePosts } from './server-under-test.js';

const CONNECTIONS = 24;

/** Starts servers and restarts them repeatedly under load. Removes everything at the end. */
export async function runRolling(binary: string, restarts: number, options: FleetOptions = {}): Promise<RollingReport> {
  const mongods = await Mongods.start(binary, 1);
  const client = new MongoClient(mongods.uri);
  let fleet: Fleet | undefined;
  try {
    fleet = await Fleet.prepare(mongods.uri, options);
    const accounts = await insertAccounts(client.db('faults'), 4);
    await fleet.start();
    const { hosts } = fleet;
    const url = fleet.urls[0]!;
    const tokens = new Tokens();
    const [postId] = await writePosts(url, tokens, accounts, 40);
    const kinds = readsAndWrites(tokens.of(accounts[0]!), postId!);
    return await restartUnderLoad({ hosts, url, restarts, connections: CONNECTIONS, kinds });
  } finally {
    await client.close();
    await fleet?.remove();
    await mongods.remove();
  }
}
