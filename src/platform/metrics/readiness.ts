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

/** One ping per second serves the probes of all balancers. No probe waits longer than PING_TIMEOUT_MS. */
const PING_EVERY_MS = 1_000;
const PING_TIMEOUT_MS = 750;
const DETAIL_TIMEOUT_MS = 250;
/** The maximum time without a ping response. A slow response on a busy machine must not disable the server in its balancer. */
const UNRESPONSIVE_AFTER_MS = 3_000;

/** Reports whether this process can do its work. Features add details for operators. */
@Injectable()
export class Readiness {
  private isDraining = false;
  private pinging: Promise<void> | undefined;
  private pingedAt = -Infinity;
  /** Time of the first ping without a response. Undefined in a new process, which has just used the database. */
  private unresponsiveSince: number | undefined;
  private pingMs = 0;
  private checkSearch: () => Promise<void> = async () => {};
  private readonly details = new Map<string, () => unknown>();

  constructor(
    private readonly mongo: MongoService,
    @Inject(PROCESS_ROLE) private readonly role: ProcessRole,
  ) {}

  /** A detail is null when `read` throws or takes too long. */
  addDetail(name: string, read: () => unknown): void {
    this.details.set(name, read);
  }

  /** Adds the check of a probe with `search=true`. @param check rejects with a CodedError while searches are refused */
  addSearchCheck(check: () => Promise<void>): void {
    this.checkSearch = check;
  }

  /** Marks this process as not ready, because it is about to stop. */
  drain(): void {
    this.isDraining = true;
  }

  /**
   * @param hasDetails includes the state of each part of the server
   * @param hasSearch requires a working search
   * @throws CodedError `shutting_down`, `database_upgraded`, `database_unavailable`, `search_not_ready`
   */
  async report(hasDetails: boolean, hasSearch = false): Promise<ReadinessReport> {
    if (this.isDraining) {
      throw new CodedError('shutting_down', 'The server is shutting down.', { retryAfterSeconds: 1 });
    }
    if (this.mongo.refusal !== undefined) throw this.mongo.refusal;
    await this.ping();
    if (this.unresponsiveSince !== undefined && performance.now() - this.unresponsiveSince > UNRESPONSIVE_AFTER_MS) {
      throw new CodedError('database_unavailable', 'The database is unavailable.', { retryAfterSeconds: 1 });
    }
    if (hasSearch) await this.checkSearch();
    const report: ReadinessReport = { status: 'ready', role: this.role, databasePingMs: this.pingMs };
    return hasDetails ? { ...report, details: await this.readDetails() } : report;
  }

  private async readDetails(): Promise<Record<string, unknown>> {
    const read = async (detail: () => unknown): Promise<unknown> => {
      try {
        return (await within(DETAIL_TIMEOUT_MS, Promise.resolve(detail()))) ?? null;
      } catch {
        return null;
      }
    };
    const entries = [...this.details].map(async ([name, detail]) => [name, await read(detail)] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  /** Resolves when the database has responded, or after the timeout. */
  private async ping(): Promise<void> {
    if (this.pinging === undefined) {
      if (performance.now() - this.pingedAt < PING_EVERY_MS) return;
      const response = within(PING_TIMEOUT_MS, this.pingDatabase()).catch(() => undefined);
      this.pinging = response.finally(() => {
        this.pinging = undefined;
        this.pingedAt = performance.now();
      });
    }
    await this.pinging;
  }

  /** A response that is too late for its probe counts for the next probe. */
  private async pingDatabase(): Promise<void> {
    const startedAt = performance.now();
    this.unresponsiveSince ??= startedAt;
    await this.mongo.db.command({ ping: 1 });
    this.unresponsiveSince = undefined;
    this.pingMs = Math.round((performance.now() - startedAt) * 10) / 10;
  }
}
