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

type Ping = { at: number; ms: number | null };

/** One ping a second serves the probes of all balancers, and none waits longer than this. */
const PING_EVERY_MS = 1_000;
const PING_TIMEOUT_MS = 750;

/** Whether this process can do its work. Features add what an operator wants to see beside it. */
@Injectable()
export class Readiness {
  private isDraining = false;
  private last: Ping | undefined;
  private pinging: Promise<Ping> | undefined;
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
    const { ms } = await this.ping();
    if (ms === null) {
      throw new CodedError('database_unavailable', 'The database does not answer.', { retryAfterSeconds: 1 });
    }
    const report: ReadinessReport = { status: 'ready', role: this.role, databasePingMs: ms };
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

  private async ping(): Promise<Ping> {
    if (this.last !== undefined && performance.now() - this.last.at < PING_EVERY_MS) return this.last;
    this.pinging ??= this.askDatabase().finally(() => (this.pinging = undefined));
    return this.pinging;
  }

  private async askDatabase(): Promise<Ping> {
    const startedAt = performance.now();
    const ping = async (): Promise<unknown> => this.mongo.db.command({ ping: 1 });
    const answer = await within(PING_TIMEOUT_MS, ping()).catch(() => undefined);
    const ms = answer !== undefined ? Math.round((performance.now() - startedAt) * 10) / 10 : null;
    this.last = { at: performance.now(), ms };
    return this.last;
  }
}
