import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register } from 'prom-client';
import { findLastBackup } from '../../src/platform/backup/last-backup.js';
import { LastBackupJob } from '../../src/platform/backup/last-backup.job.js';
import type { MongoService } from '../../src/platform/mongo/mongo.service.js';

import { runCommand } from '../support/cli.js';
import { useDatabase } from '../support/mongo.js';
import { ROOT } from '../support/spawned-host.js';

const SNAPSHOT = /^(\d+) documents of \S+Z are in /m;

describe('cli backup', () => {
  const { db, dbName, uri } = useDatabase();
  const directory = mkdtempSync(join(tmpdir(), 'opencanvas-backup-'));
  // Nothing listens there, so a command that uses it fails.
  const settings = { MONGODB_DATABASE: dbName, MONGODB_URI: 'mongodb://127.0.0.1:9/', BACKUP_MONGODB_URI: uri };
  const backups = (): string[] => readdirSync(directory).filter((name) => name.endsWith('.backup'));

  beforeAll(async () => {
    await db.collection('things').insertMany(Array.from({ length: 1_000 }, (_, number) => ({ number })));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('writes into a directory as the user of BACKUP_MONGODB_URI, and keeps the newest', async () => {
    writeFileSync(join(directory, 'opencanvas-2020-01-01T000000Z.backup'), 'an old one');

    const { status, text } = await runCommand(['backup', '--out', directory, '--keep', '1'], settings);

    expect([status, text]).toEqual([0, expect.stringMatching(SNAPSHOT)]);
    expect(text).toMatch(/^Verified\. 1 old files deleted/m);
    expect(backups()).toEqual([expect.stringMatching(/^opencanvas-20\d\d-\d\d-\d\dT\d{6}Z\.backup$/)]);
  });

  it('verifies a file without a database, and refuses a damaged one', async () => {
    const file = join(directory, backups()[0]!);
    const damaged = join(directory, 'damaged');
    writeFileSync(damaged, readFileSync(file).subarray(0, -20));
    const verify = (path: string) => runCommand(['backup', 'verify', path], { MONGODB_URI: 'mongodb://127.0.0.1:9/' });

    expect(await verify(file)).toEqual({
      status: 0,
      text: expect.stringMatching(/^1000 documents of \S+ are complete in .*, written by version \d/),
    });
    expect(await verify(damaged)).toEqual({ status: 1, text: expect.stringContaining('is not a complete backup: ') });
    expect(await verify('/none')).toEqual({ status: 1, text: 'File not found: /none.\n' });
  });

  it('deletes no old backup when the new one fails', async () => {
    const before = backups();
    const unreachable = { ...settings, BACKUP_MONGODB_URI: '', MONGODB_SERVER_SELECTION_TIMEOUT_MS: '200' };

    expect(await runCommand(['backup', '--out', directory, '--keep', '1'], unreachable)).toMatchObject({ status: 1 });

    expect(backups()).toEqual(before);
  });

  it('pipes a backup into another program, and leaves no secret behind', () => {
    const dataDir = join(directory, 'data');
    const cli = join(ROOT, 'dist/bundle/cli.js');
    const env = { ...process.env, ...settings, DATA_DIR: dataDir, AUTH_TOKEN_SECRET: '', NODE_ENV: '' };
    const run = (args: string[], input?: Buffer) =>
      spawnSync(process.execPath, [cli, 'backup', ...args], { env, input, maxBuffer: 2 ** 26 });

    const written = run(['--out', '-']);
    const verified = run(['verify', '-'], written.stdout);

    expect([written.status, String(written.stderr)]).toEqual([0, expect.stringMatching(SNAPSHOT)]);
    expect([verified.status, String(verified.stdout)]).toEqual([0, expect.stringContaining('1000 documents of ')]);
    expect(existsSync(join(dataDir, 'auth-token-secret'))).toBe(false);
  });

  it('names a wrong use', async () => {
    const wrong = (...args: string[]) => runCommand(['backup', ...args], settings);

    expect((await wrong()).text).toContain("required option '--out <path>' not specified");
    expect((await wrong('--out', join(directory, 'new'), '--keep', '3')).text).toContain('--keep needs a directory');
    expect((await wrong('--out', directory, '--keep', '0')).text).toContain('whole number from 1');
  });

  it('reports its time as a metric of the server', async () => {
    const { takenAt } = (await findLastBackup(db))!;
    const name = 'opencanvas_backup_last_success_timestamp_seconds';

    const job = new LastBackupJob({ db } as MongoService);
    await job.read();

    expect(await register.getSingleMetricAsString(name)).toMatch(
      new RegExp(`^${name} ${takenAt.getTime() / 1_000}$`, 'm'),
    );
  });
});
