import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import { createApp } from '../../src/create-app.js';
import { AppConfig } from '../../src/config/app-config.js';
import { ENV_SCHEMA } from '../../src/config/env.schema.js';
import { testEnvironment } from '../support/app.js';
import { useDatabase } from '../support/mongo.js';

describe('a database without indexes', () => {
  const database = useDatabase();
  const config = (): AppConfig =>
    new AppConfig(ENV_SCHEMA.parse(testEnvironment({ MONGODB_DATABASE: database.dbName })));

  it('gets them when it is empty', async () => {
    const app = await createApp(config());
    await app.close();
    expect((await database.db.collection('posts').indexes()).length).toBeGreaterThan(10);
  });

  it('is refused with the remedy in one sentence when it has data', async () => {
    await database.db.dropDatabase();
    await database.db.collection('comments').insertOne({ content: 'from somewhere else' });
    await expect(createApp(config())).rejects.toThrow(
      new RegExp(
        `^The database ${database.dbName} holds data but not the indexes of comments; run .npm run cli -- migrate up. first`,
      ),
    );
  });

  it('is refused while a seed, which creates no indexes until its end, is unfinished', async () => {
    await database.db.dropDatabase();
    await (await createApp(config())).close();
    const dataset = database.db.collection<{ _id: string; state: string }>('dataset');
    await dataset.insertOne({ _id: 'seed', state: 'loading' });
    await expect(createApp(config())).rejects.toThrow(/did not end; run .npm run seed -- --yes. again/);
    await dataset.updateOne({ _id: 'seed' }, { $set: { state: 'complete' } });
    await (await createApp(config())).close();
  });

  it('is refused while an import is unfinished', async () => {
    await database.db.dropDatabase();
    const imports = database.db.collection<{ _id: string; state: string }>('imports');
    await imports.insertOne({ _id: 'opencanvas', state: 'running' });
    await expect(createApp(config())).rejects.toThrow(/did not end; run .npm run cli -- import opencanvas. again/);
    await imports.updateOne({ _id: 'opencanvas' }, { $set: { state: 'done' } });
    await (await createApp(config())).close();
  });

  it('logs the remaining work of an upgrade at the start, in the jobs process', async () => {
    const lines: string[] = [];
    const warn = jest
      .spyOn(Logger.prototype, 'warn')
      .mockImplementation((line: unknown) => void lines.push(String(line)));
    const start = async (role: 'web' | 'all'): Promise<string[]> => {
      lines.length = 0;
      await (await createApp(config(), role)).close();
      return lines.filter((line) => /^(Indexes of|Every write of) /.test(line));
    };
    try {
      await database.db.dropDatabase();
      expect(await start('all')).toEqual([]);
      const users = database.db.collection('users');
      await users.insertOne({ username: 'somebody' }, { bypassDocumentValidation: true });
      await users.createIndex({ likesPerPost: -1 }, { name: 'of_an_earlier_version' });
      await users.dropIndex('username_1');
      expect(await start('web')).toEqual([]);
      expect(await start('all')).toEqual([
        expect.stringMatching(/^Indexes of users are missing: {"username":1}\. .*`npm run cli -- migrate up`/),
        expect.stringMatching(
          /^Every write of users pays for .*: of_an_earlier_version\. .*`npm run cli -- migrate up` drops them/,
        ),
      ]);
      // After an upgrade with a new collection, only the indexes of that collection are created.
      await database.db.dropCollection('follows');
      expect(await start('all')).toEqual([
        expect.stringMatching(/^Indexes of users are missing: {"username":1}\./),
        expect.stringMatching(/^Every write of users pays for .*/),
      ]);
      expect((await database.db.collection('follows').indexes()).length).toBeGreaterThan(1);
    } finally {
      warn.mockRestore();
    }
  });
});
