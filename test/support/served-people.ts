import { type Account, insertAccounts, Tokens } from '../faults/suite/cast.js';
import { hostEnvironment, runCli, writePosts } from '../faults/suite/server-under-test.js';
import { type TestDatabase, useDatabase } from './mongo.js';
import { ensureBuilt, SpawnedHost } from './spawned-host.js';

export type ServedPeople = {
  readonly database: TestDatabase;
  readonly tokens: Tokens;
  readonly host: SpawnedHost;
  readonly url: string;
  readonly people: Account[];
  readonly postIds: string[];
};

/** A server whose jobs rest, with accounts and posts; its members are there when the tests run. */
export function useServedPeople(
  { people, posts }: { people: number; posts: number },
  environment: Record<string, string> = {},
): ServedPeople {
  const served = { database: useDatabase(), tokens: new Tokens() } as {
    -readonly [Name in keyof ServedPeople]: ServedPeople[Name];
  };
  beforeAll(async () => {
    const { database, tokens } = served;
    ensureBuilt();
    served.host = new SpawnedHost('dist/src/main.js', {
      ...(await hostEnvironment(database.uri)),
      MONGODB_DATABASE: database.dbName,
      JOBS_ENABLED: 'false',
      ...environment,
    });
    await runCli(served.host, ['indexes', 'create']);
    served.people = await insertAccounts(database.db, people);
    served.host.start();
    served.url = await served.host.url();
    served.postIds = await writePosts(served.url, tokens, served.people, posts);
  }, 360_000);
  afterAll(() => served.host.remove());
  return served;
}
