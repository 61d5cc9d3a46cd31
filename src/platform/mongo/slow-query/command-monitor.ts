import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type {
  CommandFailedEvent,
  CommandStartedEvent,
  CommandSucceededEvent,
  ConnectionCheckedInEvent,
  ConnectionCheckedOutEvent,
  ConnectionCheckOutFailedEvent,
  ConnectionClosedEvent,
  ConnectionCreatedEvent,
  Document,
} from 'mongodb';
import { AppConfig } from '../../../config/app-config.js';
import { canExplain, explainCommand } from './explain-plan.js';
import { MongoService } from '../mongo.service.js';
import { queryShape } from './query-shape.js';

/** Whoever keeps metrics; called on the hot path, so it may only count. */
export interface MongoObserver {
  command?(name: string, durationMs: number, isFailed: boolean): void;
  checkout?(waitMs: number, isFailed: boolean): void;
}

export interface Tally {
  count: number;
  failed: number;
  totalMs: number;
  maxMs: number;
}

export interface MongoCounters {
  commands: Record<string, Tally>;
  checkouts: Tally;
  slowQueries: number;
  pool: { size: number; inUse: number };
}

/** As the `comment` of a command: it takes as long as it takes (a scan or a batch of a job), so it is counted and not reported. */
export const BACKGROUND = 'background';

/** One explain at a time, and not the same question twice within this. */
const EXPLAIN_EVERY_MS = 5_000;
const EXPLAIN_SHAPE_EVERY_MS = 60_000;
/** Lines per second: under overload every command is slow, and writing a line for each would make it worse. */
const LINES_PER_SECOND = 5;
/** The shapes remembered for that; far more than the code can ask. */
const MAX_SHAPES = 500;

/**
 * Watches the driver: counts every command and every wait for a pooled connection, and logs what took longer than
 * MONGODB_SLOW_QUERY_MS, as its shape (never its values), with its plan and examined : returned for reads.
 */
@Injectable()
export class CommandMonitor implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger('SlowQuery');
  private readonly started = new Map<number, Document>();
  private readonly observers = new Set<MongoObserver>();
  private readonly explainedAt = new Map<string, number>();
  /** sets, not numbers: some connections are older than this listener */
  private readonly connections = new Set<string>();
  private readonly connectionsInUse = new Set<string>();
  private lastExplainAt = -Infinity;
  private readonly lines = { since: -Infinity, written: 0, left: 0 };
  private readonly counters: Omit<MongoCounters, 'pool'> = {
    commands: {},
    checkouts: newTally(),
    slowQueries: 0,
  };

  constructor(
    private readonly mongo: MongoService,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.mongo.client
      .on('commandStarted', this.onStarted)
      .on('commandSucceeded', this.onSucceeded)
      .on('commandFailed', this.onFailed)
      .on('connectionCheckedOut', this.onCheckedOut)
      .on('connectionCheckOutFailed', this.onCheckOutFailed)
      .on('connectionCheckedIn', this.onCheckedIn)
      .on('connectionCreated', this.onCreated)
      .on('connectionClosed', this.onClosed);
  }

  onModuleDestroy(): void {
    this.mongo.client
      .off('commandStarted', this.onStarted)
      .off('commandSucceeded', this.onSucceeded)
      .off('commandFailed', this.onFailed)
      .off('connectionCheckedOut', this.onCheckedOut)
      .off('connectionCheckOutFailed', this.onCheckOutFailed)
      .off('connectionCheckedIn', this.onCheckedIn)
      .off('connectionCreated', this.onCreated)
      .off('connectionClosed', this.onClosed);
  }

  /** Returns the way to unsubscribe. */
  observe(observer: MongoObserver): () => void {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  }

  /** A copy of the counts since the start. */
  read(): MongoCounters {
    const pool = { size: this.connections.size, inUse: this.connectionsInUse.size };
    return { ...structuredClone(this.counters), pool };
  }

  private readonly onStarted = (event: CommandStartedEvent) => {
    this.started.set(event.requestId, event.command);
  };

  private readonly onSucceeded = (event: CommandSucceededEvent) => this.onEnd(event, false);
  private readonly onFailed = (event: CommandFailedEvent) => this.onEnd(event, true);

  private onEnd(event: CommandSucceededEvent | CommandFailedEvent, isFailed: boolean): void {
    const command = this.started.get(event.requestId);
    this.started.delete(event.requestId);
    const { commandName: name, databaseName: database, duration: durationMs } = event;
    count((this.counters.commands[name] ??= newTally()), durationMs, isFailed);
    for (const observer of this.observers) observer.command?.(name, durationMs, isFailed);
    if (durationMs < this.config.mongo.slowQueryMs || !command || name === 'explain') return;
    // a getMore carries the comment of the command that opened its cursor
    if (command.comment === BACKGROUND) return;
    this.counters.slowQueries += 1;
    if (this.mayWrite()) void this.report(name, database, command, durationMs);
  }

  private async report(name: string, database: string, command: Document, durationMs: number): Promise<void> {
    const shape = queryShape(command);
    const { left } = this.lines;
    this.lines.left = 0;
    const line = `${left > 0 ? `(${left} more were slow and are not shown) ` : ''}${Math.round(durationMs)} ms ${shape}`;
    if (!canExplain(name) || !this.mayExplain(shape)) return this.logger.warn(line);
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

  private mayWrite(): boolean {
    const now = performance.now();
    if (now - this.lines.since >= 1_000) Object.assign(this.lines, { since: now, written: 0 });
    if (this.lines.written >= LINES_PER_SECOND) {
      this.lines.left += 1;
      return false;
    }
    this.lines.written += 1;
    return true;
  }

  /** Explaining runs the query again, so it must never become the load. */
  private mayExplain(shape: string): boolean {
    const now = performance.now();
    if (now - this.lastExplainAt < EXPLAIN_EVERY_MS) return false;
    if (now - (this.explainedAt.get(shape) ?? -Infinity) < EXPLAIN_SHAPE_EVERY_MS) return false;
    if (this.explainedAt.size >= MAX_SHAPES) this.explainedAt.clear();
    this.lastExplainAt = now;
    this.explainedAt.set(shape, now);
    return true;
  }

  private readonly onCheckedOut = (event: ConnectionCheckedOutEvent) => {
    this.connections.add(nameOf(event));
    this.connectionsInUse.add(nameOf(event));
    this.countCheckout(event.durationMS, false);
  };
  private readonly onCheckOutFailed = (event: ConnectionCheckOutFailedEvent) =>
    this.countCheckout(event.durationMS, true);
  private readonly onCheckedIn = (event: ConnectionCheckedInEvent) => void this.connectionsInUse.delete(nameOf(event));
  private readonly onCreated = (event: ConnectionCreatedEvent) => void this.connections.add(nameOf(event));
  private readonly onClosed = (event: ConnectionClosedEvent) => {
    this.connections.delete(nameOf(event));
    this.connectionsInUse.delete(nameOf(event));
  };

  private countCheckout(waitMs: number, isFailed: boolean): void {
    count(this.counters.checkouts, waitMs, isFailed);
    for (const observer of this.observers) observer.checkout?.(waitMs, isFailed);
  }
}

function nameOf({ address, connectionId }: { address: string; connectionId: number | '<monitor>' }): string {
  return `${address}#${connectionId}`;
}

function newTally(): Tally {
  return { count: 0, failed: 0, totalMs: 0, maxMs: 0 };
}

function count(tally: Tally, durationMs: number, isFailed: boolean): void {
  tally.count += 1;
  if (isFailed) tally.failed += 1;
  tally.totalMs += durationMs;
  if (durationMs > tally.maxMs) tally.maxMs = durationMs;
}
