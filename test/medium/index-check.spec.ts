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

  it('is refused in a sentence that says what to do when it holds data', async () => {
    await database.db.dropDatabase();
    await database.db.collection('comments').insertOne({ content: 'from somewhere else' });
    await expect(createApp(config())).rejects.toThrow(
      new RegExp(
        `^The database ${database.dbName} holds data but not the indexes of comments; run .npm run cli -- indexes create. first`,
      ),
    );
  });
});
