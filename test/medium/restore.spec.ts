import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreBackup } from '../../src/platform/backup/restore-backup.js';
import { writeBackup } from '../../src/platform/backup/write-backup.js';
import { useDatabase } from '../support/mongo.js';

describe('a restore during which another one begins', () => {
  const database = useDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-restore-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const { signal } = new AbortController();
  const backup = async (name: string): Promise<string> => {
    const { db } = database;
    await db.dropDatabase();
    await db.collection<{ _id: string }>('things').insertOne({ _id: name });
    const file = join(directory, `${name}.backup`);
    await writeBackup({ db, to: file, signal, onProgress: () => {} });
    return file;
  };
  const restore = (file: string, ensureIndexes = async () => {}) =>
    restoreBackup({ db: database.db, file, signal, ensureIndexes, onProgress: () => {} });

  it('reports a failure, and leaves the data of the other restore alone', async () => {
    const [first, second] = [await backup('first'), await backup('second')];
    const restores = database.db.collection('restores');
    await expect(restore(first, async () => void (await restore(second)))).rejects.toThrow('another restore took');
    expect(await database.db.collection('things').find().toArray()).toEqual([{ _id: 'second' }]);
    expect(await restores.countDocuments()).toBe(0);
  });
});
