import { MongoClient } from 'mongodb';
import { clockOffsetMs } from '../../common/clock-offset.js';
import type { AppConfig } from '../../config/app-config.js';
import { findLastBackup } from '../../platform/backup/last-backup.js';
import { checkDeployment } from '../../platform/mongo/deployment-check.js';
import { withDatabase } from '../cli-context.js';
import { type Finding, find } from './finding.js';

const MAX_OFFSET_MS = 5_000;
const MAX_BACKUP_AGE_MS = 36 * 3_600_000;

/** Checks the database. An embedded one is started, if no server runs it. */
export async function checkDatabase(): Promise<Finding[]> {
  const findings: Finding[] = [];
  const reached = await find('database', async () => {
    let text = '';
    // Throws a sentence when the database is unreachable, or its user lacks rights.
    await withDatabase(async (config) => {
      const { uri, database, serverSelectionTimeoutMs } = config.mongo;
      const client = new MongoClient(uri!, { serverSelectionTimeoutMS: serverSelectionTimeoutMs, maxPoolSize: 1 });
      try {
        const { version } = await client.db('admin').command({ buildInfo: 1 });
        const sentAt = Date.now();
        const { setName, hosts, localTime } = await client.db('admin').command({ hello: 1 });
        const offsetMs = clockOffsetMs(Number(localTime), sentAt, Date.now());
        const members = (hosts as string[]).length;
        text = `MongoDB ${version}, replica set ${setName} of ${members}`;
        findings.push({ name: 'rights', state: 'ok', text: `the user may do what the server needs on ${database}` });
        findings.push({ name: 'clock', ...checkClock(offsetMs) });
        const last = await findLastBackup(client.db(database));
        findings.push({ name: 'backup', ...checkBackup(last?.takenAt, new Date()) });
      } finally {
        await client.close();
      }
    });
    return { state: 'ok', text };
  });
  return [reached, ...findings];
}

export async function checkBackupUser({ backup, mongo }: AppConfig): Promise<Finding[]> {
  const { uri } = backup;
  if (uri === undefined) return [];
  const { database: dbName, serverSelectionTimeoutMs } = mongo;
  const check = async () => {
    await checkDeployment({ uri, dbName, serverSelectionTimeoutMs });
    return { state: 'ok' as const, text: 'BACKUP_MONGODB_URI works' };
  };
  return [await find('backup user', check)];
}

export function checkClock(offsetMs: number): Omit<Finding, 'name'> {
  const seconds = Math.round(Math.abs(offsetMs) / 100) / 10;
  const text = `${seconds} s ${offsetMs < 0 ? 'behind' : 'ahead of'} MongoDB`;
  if (Math.abs(offsetMs) <= MAX_OFFSET_MS) return { state: 'ok', text };
  return { state: 'fail', text: `${text}: tokens and schedules go wrong. Turn NTP on (timedatectl set-ntp true).` };
}

export function checkBackup(takenAt: Date | undefined, now: Date): Omit<Finding, 'name'> {
  const advice = 'turn opencanvas-backup.timer on (docs/production.md, step 8).';
  if (takenAt === undefined) return { state: 'warn', text: `There is no backup by this program yet: ${advice}` };
  const text = `the last one is of ${takenAt.toISOString()}`;
  if (now.getTime() - takenAt.getTime() <= MAX_BACKUP_AGE_MS) return { state: 'ok', text };
  return { state: 'warn', text: `${text}: ${advice}` };
}
