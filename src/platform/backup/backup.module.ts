// Backups: `cli backup` writes and verifies them, `cli restore` reads them. The server only exports the time of the last one.
// docs/backup.md is the guide.
import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/jobs.module.js';
import { LastBackupJob } from './last-backup.job.js';

@Module({ imports: [JobsModule], providers: [LastBackupJob] })
export class BackupModule {}
