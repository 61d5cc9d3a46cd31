import type { Db } from 'mongodb';
import type { BackupManifest } from './backup-file.js';

/** Contains one row about the last complete backup. Backups exclude it, because a restored database has none yet. */
export const BACKUPS = 'backups';
const LAST = 'last';

export type LastBackup = {
  _id: typeof LAST;
  /** time of the snapshot */
  takenAt: Date;
  documents: number;
};

export async function recordBackup(db: Db, { takenAt, collections }: BackupManifest): Promise<void> {
  const documents = collections.reduce((sum, collection) => sum + collection.documents, 0);
  await db
    .collection<LastBackup>(BACKUPS)
    .replaceOne({ _id: LAST }, { takenAt, documents }, { upsert: true, writeConcern: { w: 'majority' } });
}

export function findLastBackup(db: Db): Promise<LastBackup | null> {
  return db.collection<LastBackup>(BACKUPS).findOne({ _id: LAST });
}
