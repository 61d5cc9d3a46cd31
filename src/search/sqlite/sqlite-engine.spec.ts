import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { describeMatches } from '../../../test/support/search/matches.contract.js';
import { describeQueries } from '../../../test/support/search/queries.contract.js';
import { describeSimilar } from '../../../test/support/search/similar.contract.js';
import { describeSpellings } from '../../../test/support/search/spellings.contract.js';
import { openSqlite, postDocument, useIndex } from '../../../test/support/search/test-index.js';
import { describeWrites } from '../../../test/support/search/writes.contract.js';
import { Database } from './database.js';

const POSITION = { token: { _data: '82' }, at: 1_000 };

describe('the SQLite engine', () => {
  for (const contract of [describeQueries, describeMatches, describeWrites, describeSimilar, describeSpellings])
    contract(openSqlite);
  const index = useIndex(openSqlite);
  const kept = postDocument({ title: 'Number first of them' });

  it('serves no search before the first scan has ended, and is rebuilt when its file is missing or damaged', async () => {
    for (const harm of [remove, damage]) {
      await index.fill([kept]);
      expect(await index.find('number')).toEqual([kept.id]);
      // The reader has cached the earlier pages.
      await index.reader.close();
      harm(index.path);
      const notReady = expect.objectContaining({ name: 'IndexNotReady' });
      await expect(index.find('number')).rejects.toEqual(notReady);
      await expect(index.writer.moveTo(POSITION)).rejects.toEqual(expect.objectContaining({ name: 'IndexLost' }));
      expect(await index.writer.reset()).toMatchObject({ isReady: false, documents: { posts: 0, users: 0 } });
      await expect(index.find('number')).rejects.toEqual(notReady);
    }
    await index.fill([kept]);
    expect(await index.find('number')).toEqual([kept.id]);
  });
});

function remove(path: string): void {
  rmSync(path);
}

/** Overwrites all pages except the first. */
function damage(path: string): void {
  const database = Database.open(path);
  database.all('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(400_000, 7), 0, 400_000, 4_096);
  closeSync(file);
}
