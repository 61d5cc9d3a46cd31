import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { CommandFailedEvent, CommandSucceededEvent, Document } from 'mongodb';
import { exportCounter, histogram } from '../../prometheus/metric.js';
import { AppConfig } from '../../../config/app-config.js';
import { canExplain, explainCommand } from './explain-plan.js';
import { transactionCounts } from '../commit.js';
import { MongoService } from '../mongo.service.js';
import { queryShape } from './query-shape.js';

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const commandSeconds = histogram({
  name: 'opencanvas_mongo_command_seconds',
  help: 'Duration of MongoDB commands as the driver sees them',
  labelNames: ['command', 'outcome'] as const,
  buckets: BUCKETS,
});
const checkoutSeconds = histogram({
  name: 'opencanvas_mongo_pool_wait_seconds',
  help: 'Time a request waited for a pooled connection',
  labelNames: ['outcome'] as const,
  buckets: BUCKETS,
});
const outcomeOf = (isFailed: boolean): 'failed' | 'ok' => (isFailed ? 'failed' : 'ok');

/** The `comment` of a background command (a scan or batch of a job), which is counted but not logged as slow. */
export const BACKGROUND = 'background';

/** The minimum time between two explains, because each one reruns the query. */
const EXPLAIN_EVERY_MS = 5_000;
/** The minimum time between two lines of a shape. Under overload all commands are slow, and their lines would fill the log. */
const LINE_EVERY_MS = 60_000;
/** The number of shapes to remember, far above the number in the code. */
const MAX_SHAPES = 500;

/**
 * Counts all commands and waits for connections. Logs commands slower than MONGODB_SLOW_QUERY_MS with their shape, never values, and for
 * reads the plan and examined : returned.
 */
@Injectable()
export class CommandMonitor implements OnModuleInit {
  private readonly logger = new Logger('SlowQuery');
  private readonly started = new Map<number, Document>();
  /** by shape: the time of its last line, and its slow commands since then */
  private readonly lines = new Map<string, { at: number; left: number }>();
  private lastExplainAt = -Infinity;
  private slowQueries = 0;

  constructor(
    private readonly mongo: MongoService,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    exportCounter({
      name: 'opencanvas_mongo_slow_queries_total',
      help: 'Commands slower than MONGODB_SLOW_QUERY_MS',
      read: () => this.slowQueries,
    });
    exportCounter({
      name: 'opencanvas_conflicts_total',
      help: 'Attempts of transactions that conflicted with another write, and ran again',
      read: () => transactionCounts.conflicts,
    });
    exportCounter({
      name: 'opencanvas_commit_unknown_total',
      help: 'Commits whose outcome is unknown, because the database did not respond in time',
      read: () => transactionCounts.unknownCommits,
    });
    this.mongo.client
      .on('commandStarted', (event) => this.started.set(event.requestId, event.command))
      .on('commandSucceeded', (event) => this.onEnd(event, false))
      .on('commandFailed', (event) => this.onEnd(event, true))
      .on('connectionCheckedOut', ({ durationMS }) =>
        checkoutSeconds.observe({ outcome: outcomeOf(false) }, durationMS / 1_000),
      )
      .on('connectionCheckOutFailed', ({ durationMS }) =>
        checkoutSeconds.observe({ outcome: outcomeOf(true) }, durationMS / 1_000),
      );
  }

  private onEnd(event: CommandSucceededEvent | CommandFailedEvent, isFailed: boolean): void {
    const command = this.started.get(event.requestId);
    this.started.delete(event.requestId);
    const { commandName: name, databaseName: database, duration: durationMs } = event;
    commandSeconds.observe({ command: name, outcome: outcomeOf(isFailed) }, durationMs / 1_000);
    if (durationMs < this.config.mongo.slowQueryMs || !command || name === 'explain') return;
    // A `getMore` has the comment of the command that opened the cursor.
    if (command.comment === BACKGROUND) return;
    this.slowQueries++;
    const shape = queryShape(command);
    const last = this.lines.get(shape);
    const now = performance.now();
    if (last !== undefined && now - last.at < LINE_EVERY_MS) return void last.left++;
    if (this.lines.size >= MAX_SHAPES) this.lines.clear();
    this.lines.set(shape, { at: now, left: 0 });
    const others = last === undefined || last.left === 0 ? '' : `(${last.left} more were slow and are not shown) `;
    void this.report(name, database, command, `${others}${Math.round(durationMs)} ms ${shape}`);
  }

  private async report(name: string, database: string, command: Document, line: string): Promise<void> {
    if (!canExplain(name) || !this.mayExplain()) return this.logger.warn(line);
    try {
      const plan = await explainCommand(this.mongo.client.db(database), name, command);
      this.logger.warn(
        plan
          ? `${line} plan ${plan.plan} keys ${plan.keysExamined} docs:returned ${plan.docsExamined}:${plan.nReturned}`
          : line,
      );
    } catch (error) {
      this.logger.warn(`${line} (explain failed: ${error instanceof Error ? error.message : String(error)})`);
    }
  }

  private mayExplain(): boolean {
    const now = performance.now();
    if (now - this.lastExplainAt < EXPLAIN_EVERY_MS) return false;
    this.lastExplainAt = now;
    return true;
  }
}
