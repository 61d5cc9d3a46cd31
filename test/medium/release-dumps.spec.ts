import { statSync } from 'node:fs';
import type { CollectionInfo } from 'mongodb';
import { readBackup } from '../../src/platform/backup/backup-file.js';
import { useDatabase } from '../support/mongo.js';
import { type Release, type ReleaseFacts, RELEASES, releaseBackup, restoreRelease } from '../support/releases.js';

const MAX_BYTES = 2 * 2 ** 20;

describe.each(RELEASES)('the dump of %s', (release: Release) => {
  const { db } = useDatabase();
  let facts: ReleaseFacts;
  beforeAll(async () => {
    facts = await restoreRelease(db, release);
  });

  it('fills a database with every row of its manifest', async () => {
    const manifest = await readBackup(releaseBackup(release), () => {});

    const counts = await Promise.all(manifest.collections.map(({ name }) => db.collection(name).countDocuments()));

    expect(counts).toEqual(manifest.collections.map(({ documents }) => documents));
    expect(manifest.appVersion).toBe(release);
    expect(facts.version).toBe(release);
    expect(statSync(releaseBackup(release)).size).toBeLessThan(MAX_BYTES);
  });

  it('has the indexes and validators of the release', async () => {
    const infos = (await db.listCollections({ type: 'collection' }).toArray()) as CollectionInfo[];
    const described = infos.map(async ({ name, options }) => {
      return [name, { options, indexes: await db.collection(name).indexes() }] as const;
    });

    expect(Object.fromEntries(await Promise.all(described))).toEqual(facts.collections);
  });
});
