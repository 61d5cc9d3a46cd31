import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { MongoService } from '../mongo/mongo.service.js';
import { exportGauge } from '../prometheus/metric.js';
import { findLastBackup } from './last-backup.js';

const READ_EVERY_MS = 60_000;

/** Exports the time of the last backup, which a command wrote. */
@Injectable()
export class LastBackupJob {
  private takenAt: Date | undefined;

  constructor(private readonly mongo: MongoService) {
    exportGauge({
      name: 'opencanvas_backup_last_success_timestamp_seconds',
      help: 'Time of the snapshot of the last complete backup, or 0',
      aggregator: 'max',
      read: () => (this.takenAt?.getTime() ?? 0) / 1_000,
    });
  }

  @Interval(READ_EVERY_MS)
  async read(): Promise<void> {
    // During an outage the last value stays.
    const last = await findLastBackup(this.mongo.db).catch(() => undefined);
    if (last !== undefined) this.takenAt = last?.takenAt;
  }
}
