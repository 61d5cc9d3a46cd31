import { Injectable, Logger } from '@nestjs/common';
import { CodedError } from '../../common/errors.js';
import { stopHost } from '../cluster/process-end.js';
import { EventStream } from '../events/event-stream.js';
import type { Topic } from '../../common/topic.js';
import { type DatabaseFormat, PROGRAM, readFormat, refusalOf } from '../mongo/format/database-format.js';
import { MongoService } from '../mongo/mongo.service.js';
import { exportGauge } from '../prometheus/metric.js';

/** Published in the transaction that raises the format. */
export const FORMAT_RAISED: Topic<{ format: number; oldestProgram: number; version: string }> = {
  name: 'database.format',
};

/**
 * Stops this host when the data was migrated beyond what the program can serve: no transaction begins, `/health/ready` is 503, and the
 * primary drains the processes. `migrate up` waits for such hosts to stop, so this affects only a host that it could not see.
 */
@Injectable()
export class FormatWatchService {
  private readonly logger = new Logger('Format');
  private current: Pick<DatabaseFormat, 'format' | 'oldestProgram'> | null = null;

  constructor(
    private readonly mongo: MongoService,
    private readonly stream: EventStream,
  ) {
    stream.subscribe(FORMAT_RAISED, {
      onEvent: (raised) => this.check({ ...raised, at: new Date() }),
      // After an outage the stream reports a gap; the row is read when the database responds.
      onGap: () => void this.read().catch(() => {}),
    });
    exportGauge({
      name: 'opencanvas_database_format',
      help: 'Format of the data, of this program, and of the oldest program that may serve the data',
      labelNames: ['of'],
      aggregator: 'max',
      read: () => {
        const program = [{ of: 'program' }, PROGRAM.format] as const;
        if (this.current === null) return [program];
        const { format, oldestProgram } = this.current;
        return [program, [{ of: 'data' }, format], [{ of: 'oldest_program' }, oldestProgram]];
      },
    });
  }

  private async read(): Promise<void> {
    const stored = await readFormat(this.mongo.db);
    if (stored !== null) this.check(stored);
  }

  private check(stored: DatabaseFormat): void {
    this.current = stored;
    // A seed or a restore replaces the data of a running server.
    if (stored.format <= PROGRAM.format) return;
    const refusal = refusalOf(stored, this.mongo.db.databaseName);
    if (refusal === null || this.mongo.refusal !== undefined) return;
    this.mongo.refusal = new CodedError('database_upgraded', 'The database was upgraded beyond this server.', {
      retryAfterSeconds: 5,
    });
    this.logger.fatal(`No more writes, and this host stops: ${refusal}`);
    // One process of the host is enough; a second signal would end it at once.
    if (this.stream.isFollower) stopHost();
  }
}
