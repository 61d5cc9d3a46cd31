import { Inject, Injectable } from '@nestjs/common';
import { CodedError } from '../../common/errors.js';
import { within } from '../../common/within.js';
import { PROCESS_ROLE, type ProcessRole } from '../cluster/process-role.js';
import { MongoService } from '../mongo/mongo.service.js';

export type ReadinessReport = {
  status: 'ready';
  role: ProcessRole;
  databasePingMs: number;
  details?: Record<string, unknown>;
};

/** One ping a second serves the probes of all balancers, and none waits longer than this. */
const PING_EVERY_MS = 1_000;
const PING_TIMEOUT_MS = 750;
/** A database that answered so shortly ago is there: one late ping on a busy machine takes no server out of its balancer. */
const SILENCE_MS = 2_000;

/** Whether this process can do its work. Features add what an operator wants to see beside it. */
@Injectable()
export class Readiness {
  private isDraining = false;
  private pinging: Promise<void> | undefined;
  private askedAt = -Infinity;
  private answeredAt = -Infinity;
  private pingMs = 0;
  private readonly details = new Map<string, () => unknown>();

  constructor(
    private readonly mongo: MongoService,
    @Inject(PROCESS_ROLE) private readonly role: ProcessRole,
  ) {}

  /** `read` must be quick and hold no connection; what it throws is shown as null. */
  addDetail(name: string, read: () => unknown): void {
    this.details.set(name, read);
  }

  /** From now on the answer is no: this process is about to end. */
  drain(): void {
    this.isDraining = true;
  }

  /**
   * @param hasDetails what the parts of the server say about themselves, too
   * @throws CodedError `shutting_down`, `database_unavailable`
   */
  async report(hasDetails: boolean): Promise<ReadinessReport> {
    if (this.isDraining) {
      throw new CodedError('shutting_down', 'This process finishes what it has and ends.', { retryAfterSeconds: 1 });
    }
    await this.ping();
    if (performance.now() - this.answeredAt > SILENCE_MS) {
      throw new CodedError('database_unavailable', 'The database does not answer.', { retryAfterSeconds: 1 });
    }
    const report: ReadinessReport = { status: 'ready', role: this.role, databasePingMs: this.pingMs };
    return hasDetails ? { ...report, details: await this.readDetails() } : report;
  }

  private async readDetails(): Promise<Record<string, unknown>> {
    const details: Record<string, unknown> = {};
    for (const [name, read] of this.details) {
      try {
        details[name] = (await read()) ?? null;
      } catch {
        details[name] = null;
      }
    }
    return details;
  }

  /** Resolves when the database has answered, or is late. */
  private async ping(): Promise<void> {
    if (this.pinging === undefined) {
      if (performance.now() - this.askedAt < PING_EVERY_MS) return;
      const answer = within(PING_TIMEOUT_MS, this.askDatabase()).catch(() => undefined);
      this.pinging = answer.finally(() => {
        this.pinging = undefined;
        this.askedAt = performance.now();
      });
    }
    await this.pinging;
  }

  /** An answer that comes too late for its probe is one for the next. */
  private async askDatabase(): Promise<void> {
    const startedAt = performance.now();
    await this.mongo.db.command({ ping: 1 });
    this.answeredAt = performance.now();
    this.pingMs = Math.round((this.answeredAt - startedAt) * 10) / 10;
  }
}
