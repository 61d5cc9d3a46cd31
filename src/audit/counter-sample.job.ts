import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Leased } from '../platform/jobs/leased.decorator.js';
import { exportGauge } from '../platform/prometheus/metric.js';
import { AuditService } from './audit.service.js';

/** 1,000 posts an hour */
const SAMPLE_EVERY_MS = 360_000;
const SAMPLE_SIZE = 100;
const SAMPLED = 'posts';

/** Compares the counters of some posts with their rows, so that a wrong counter is noticed without a full audit. */
@Injectable()
export class CounterSampleJob {
  private readonly logger = new Logger('Audit');
  private differences: number | undefined;

  constructor(private readonly audit: AuditService) {
    exportGauge({
      name: 'opencanvas_counter_differences',
      help: 'Wrong counters in the last sample of posts',
      aggregator: 'max',
      read: () => this.differences,
    });
  }

  @Interval(SAMPLE_EVERY_MS)
  @Leased<CounterSampleJob>('counter sample')
  async run(): Promise<void> {
    this.differences = await this.audit.sample(SAMPLED, SAMPLE_SIZE);
    if (this.differences > 0)
      this.logger.warn(
        `${this.differences} counters of ${SAMPLE_SIZE} posts differ from their rows: see cli counters audit`,
      );
  }
}
