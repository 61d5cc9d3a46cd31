import { createDataset } from '../../seeds/dataset.js';
import { loadDataset } from '../../seeds/load.js';
import type { ProfileName } from '../../seeds/profiles.js';
import { type TestApp, useApp } from './app.js';

/** An app over a freshly seeded database, for the spec file that calls it. */
export function useSeededApp(options: {
  profile: ProfileName;
  now?: Date;
  overrides?: Record<string, string>;
}): TestApp {
  return useApp(options.overrides, async ({ db }) => {
    for (const name of ['users', 'posts', 'post_bodies', 'comments', 'follows', 'interactions'])
      await db.collection(name).deleteMany({});
    const dataset = createDataset({ profile: options.profile, seed: 7, now: options.now ?? new Date() });
    await loadDataset({ db, dataset, ensureIndexes: async () => undefined });
  });
}
