import { createDataset } from '../../seeds/dataset.js';
import { loadDataset } from '../../seeds/load.js';
import type { ProfileName } from '../../seeds/profiles.js';
import { startApp, type TestApp } from './app.js';

/** An app over a freshly seeded database, for the spec file that calls it. */
export function useSeededApp(options: {
  profile: ProfileName;
  now?: Date;
  overrides?: Record<string, string>;
}): TestApp {
  let running: TestApp | undefined;
  beforeAll(async () => {
    running = await startApp(options.overrides);
    const { db } = running;
    for (const name of ['users', 'posts', 'post_bodies', 'comments', 'follows', 'interactions'])
      await db.collection(name).deleteMany({});
    const dataset = createDataset({ profile: options.profile, seed: 7, now: options.now ?? new Date() });
    await loadDataset({ db, dataset, ensureIndexes: async () => undefined });
  }, 120_000);
  afterAll(async () => {
    await running?.close();
  });
  return new Proxy({} as TestApp, {
    get(_, name: keyof TestApp) {
      if (running === undefined) throw new Error('the app runs inside hooks and tests only');
      return running[name];
    },
  });
}
