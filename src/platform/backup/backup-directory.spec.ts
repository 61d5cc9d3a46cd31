import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupFileName, deleteOldBackups } from './backup-directory.js';

describe('a directory of backups', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-backups-'));
  const add = (name: string): void => writeFileSync(join(directory, name), '');
  afterAll(() => rmSync(directory, { recursive: true }));

  it('keeps the newest, and files of other names', async () => {
    const days = [1, 2, 3, 4].map((day) => backupFileName(new Date(Date.UTC(2026, 10, day, 3, 17, 5))));
    for (const name of days.toReversed()) add(name);
    add(`${days[0]}.partial`);
    for (const other of ['opencanvas-before-upgrade.backup', 'notes.txt']) add(other);

    expect(days[0]).toBe('opencanvas-2026-11-01T031705Z.backup');
    expect(await deleteOldBackups(directory, 2)).toEqual([days[0], days[1], `${days[0]}.partial`]);
    expect(readdirSync(directory).sort()).toEqual(['notes.txt', days[2], days[3], 'opencanvas-before-upgrade.backup']);
    expect(await deleteOldBackups(directory, 2)).toEqual([]);
  });
});
