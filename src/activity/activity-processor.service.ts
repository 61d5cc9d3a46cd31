import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { type Collection, ObjectId } from 'mongodb';
import { isDatabaseOutage } from '../common/database-outage.js';
import { CodedError } from '../common/errors.js';
import { type Span, tracing } from '../common/tracing.js';
import { ClusterBus } from '../platform/cluster/bus.js';
import { eachRow } from '../platform/jobs/each-row.js';
import { JobTriggers } from '../platform/jobs/job-triggers.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { counter, gauge } from '../platform/prometheus/metric.js';
import { decodeFacts, encodeFacts, type Fact } from './activity-facts.js';
import {
  ACTIVITY_JOB,
  type ActivityBatch,
  ActivityBatchSchema,
  type DeadFact,
  DeadFactSchema,
} from './activity.schema.js';

/** Applies facts in the transaction that deletes them. Must be safe to retry, because a write conflict reruns the transaction. */
export type ActivityHandler = {
  /** for logs and readiness */
  name: string;
  apply: (facts: readonly DatedFact[], tx: Transaction) => Promise<void>;
};
/** @field at when the fact was stored */
export type DatedFact = Fact & { at: Date };
type Apply = ActivityHandler['apply'];

const RUN_EVERY_MS = 1_000;
/** Likes are batched for 10 s, so a popular post is written at most six times a minute. */
const LIKES_WAIT_MS = 10_000;
/** limits of one transaction */
const MAX_FACTS = 5_000;
const MAX_ROWS = 1_000;
/** of a batch after a success */
const GROWTH = 1.25;
const MAX_TRIES = 10;
const DEAD_LETTER_TTL_MS = 7 * 86_400_000;
const OBSERVE_EVERY_MS = 15_000;
/** bus channel */
const STATE = 'activity:state';
const LANES = [false, true] as const;

const factsTotal = counter({
  name: 'opencanvas_activity_facts_total',
  help: 'Facts about likes, comments, follows and collections, by outcome',
  labelNames: ['outcome'],
});
const oldestSeconds = gauge({
  name: 'opencanvas_activity_oldest_seconds',
  help: 'Age of the oldest fact that was not applied yet',
  aggregator: 'max',
});

/**
 * Applies facts exactly once: the handlers and the removal of the rows share a transaction. A batch that fails ten times is halved until
 * the failing fact is isolated. That fact becomes a dead letter, and the facts after it continue. After an outage the next batch has half
 * the facts, and after a success 1.25 times as many.
 */
@Injectable()
export class ActivityProcessorService implements OnModuleInit, OnApplicationBootstrap {
  private readonly logger = new Logger('Activity');
  private readonly rows: Collection<ActivityBatch>;
  private readonly dead: Collection<DeadFact>;
  private readonly handlers: ActivityHandler[] = [];
  private readonly tries = new Map<boolean, number>();
  /** the most facts of a batch, by lane */
  private readonly sizes = new Map<boolean, number>();
  private failing: string | null = null;
  private observedAt = -Infinity;
  /** the last state published by the process that runs the jobs; a detail of readiness */
  state: unknown;

  constructor(
    private readonly mongo: MongoService,
    private readonly bus: ClusterBus,
    private readonly triggers: JobTriggers,
  ) {
    this.rows = mongo.collection(ActivityBatchSchema);
    this.dead = mongo.collection(DeadFactSchema);
  }

  /** Call in `onModuleInit`. */
  register(handler: ActivityHandler): void {
    this.handlers.push(handler);
  }

  onModuleInit(): void {
    this.triggers.register(ACTIVITY_JOB, {
      everyMs: RUN_EVERY_MS,
      dueInMs: () => this.observe().then(() => this.dueInMs()),
      work: (signal) => this.run(signal),
    });
  }

  onApplicationBootstrap(): void {
    this.bus.subscribe(STATE, (state) => (this.state = state));
  }

  /** Applies the facts that are due: likes when the oldest one is 10 s old, other facts immediately. */
  async run(signal: AbortSignal): Promise<void> {
    const waits = await this.waitsMs();
    const due = LANES.filter((_isSlow, at) => waits[at]! <= 0);
    await eachRow(due, signal, (isSlow) => this.processLane(isSlow, signal));
  }

  /** Applies the facts that are stored now, likes included. */
  async drain(signal: AbortSignal): Promise<void> {
    await eachRow(LANES, signal, (isSlow) => this.processLane(isSlow, signal));
  }

  private async dueInMs(): Promise<number> {
    return Math.min(...(await this.waitsMs()));
  }

  /** Returns the time until each lane is due: Infinity for an empty one. */
  private async waitsMs(): Promise<number[]> {
    const ages = await Promise.all(LANES.map((isSlow) => this.oldestAgeMs(isSlow)));
    return LANES.map((isSlow, at) => (isSlow ? LIKES_WAIT_MS : 0) - (ages[at] ?? -Infinity));
  }

  /** At least 0, even if clocks differ. Returns null when the lane is empty. */
  private async oldestAgeMs(isSlow: boolean): Promise<number | null> {
    const oldest = await this.rows.findOne({ isSlow }, { sort: { _id: 1 }, projection: { _id: 1 } });
    return oldest === null ? null : Math.max(0, Date.now() - oldest._id.getTimestamp().getTime());
  }

  private async processLane(isSlow: boolean, signal: AbortSignal): Promise<void> {
    for (let isLast = false; !isLast;) {
      signal.throwIfAborted();
      isLast = await this.processNext(isSlow);
    }
  }

  /** @returns whether the batch took all facts of its snapshot. Later facts wait for the next run, so that batches are large. */
  private async processNext(isSlow: boolean): Promise<boolean> {
    const tries = this.tries.get(isSlow) ?? 0;
    const size = this.sizes.get(isSlow) ?? MAX_FACTS;
    for (let count = size, taken = 0; ; count = Math.ceil(taken / 2)) {
      const apply: Apply = (facts, tx) => {
        taken = facts.length;
        return this.applyAll(facts, tx);
      };
      try {
        const { done, isLast } = await this.applyBatch(isSlow, count, apply);
        factsTotal.inc({ outcome: 'done' }, done);
        if (count === size) this.succeeded(isSlow);
        this.sizes.set(isSlow, Math.min(MAX_FACTS, Math.ceil(GROWTH * size)));
        return isLast;
      } catch (error) {
        if (isOutage(error)) {
          // Too many facts for the timeout of a transaction would never be applied.
          if (taken > 1) this.sizes.set(isSlow, Math.ceil(taken / 2));
          throw error;
        }
        this.failing = String(error);
        if (tries < MAX_TRIES) {
          this.tries.set(isSlow, tries + 1);
          throw error;
        }
        if (taken > 1) continue;
        await this.deadLetter(isSlow, error);
        return false;
      }
    }
  }

  private async applyAll(facts: readonly DatedFact[], tx: Transaction): Promise<void> {
    for (const { name, apply } of this.handlers) {
      await apply(facts, tx).catch((error: unknown) => {
        if (!isOutage(error)) this.logger.error(`${name} cannot apply ${facts.length} facts: ${String(error)}`);
        throw error;
      });
    }
  }

  private async deadLetter(isSlow: boolean, error: unknown): Promise<void> {
    const expiresAt = new Date(Date.now() + DEAD_LETTER_TTL_MS);
    await this.applyBatch(isSlow, 1, async ([fact], tx) => {
      const row: DeadFact = { _id: new ObjectId(), fact: encodeFacts([fact!]), error: String(error), expiresAt };
      await tx.insert(this.dead, [row]);
    });
    factsTotal.inc({ outcome: 'dead' });
    this.succeeded(isSlow);
  }

  private succeeded(isSlow: boolean): void {
    this.tries.delete(isSlow);
    if (this.tries.size === 0) this.failing = null;
  }

  /**
   * Applies and deletes up to `count` facts, oldest rows first, in one transaction.
   * @returns the number of facts, and whether no fact of the snapshot is left
   */
  private applyBatch(isSlow: boolean, count: number, apply: Apply): Promise<{ done: number; isLast: boolean }> {
    let span: Span | undefined;
    const applied = this.mongo.transaction(async (tx) => {
      const startedAt = performance.now();
      const rows = await this.rows
        .find({ isSlow }, { session: tx.session, sort: { _id: 1 } })
        .limit(MAX_ROWS)
        .toArray();
      const causes = rows.flatMap(({ traceparent = [] }) => traceparent);
      span = causes.length === 0 ? undefined : tracing.tracer?.start('apply facts', causes, { startedAt });
      if (span !== undefined) tx.trace(span);
      const facts: DatedFact[] = [];
      const removed: ObjectId[] = [];
      for (const row of rows) {
        if (facts.length >= count) break;
        const ofRow = decodeFacts(row.facts);
        const rest = ofRow.splice(count - facts.length);
        const at = row._id.getTimestamp();
        facts.push(...ofRow.map((fact) => ({ ...fact, at })));
        if (rest.length === 0) removed.push(row._id);
        else
          await this.rows.updateOne({ _id: row._id }, { $set: { facts: encodeFacts(rest) } }, { session: tx.session });
      }
      const done = facts.length;
      if (done === 0) return { done, isLast: true };
      await apply(facts, tx);
      await tx.delete(this.rows, removed);
      return { done, isLast: removed.length === rows.length && rows.length < MAX_ROWS };
    });
    void applied.then(
      () => span?.end(),
      (error: unknown) => span?.end(error),
    );
    return applied;
  }

  private async observe(): Promise<void> {
    if (performance.now() - this.observedAt < OBSERVE_EVERY_MS) return;
    this.observedAt = performance.now();
    const ages = await Promise.all(LANES.map((isSlow) => this.oldestAgeMs(isSlow)));
    const oldestAgeMs = Math.max(0, ...ages.map((age) => age ?? 0));
    oldestSeconds.set(oldestAgeMs / 1_000);
    this.state = { oldestAgeMs, failing: this.failing, dead: await this.dead.countDocuments({}, { limit: 1_000 }) };
    this.bus.publish(STATE, this.state);
  }
}

/** An outage is not caused by one of the facts. */
function isOutage(error: unknown): boolean {
  return isDatabaseOutage(error) || (error instanceof CodedError && error.status >= 500);
}
