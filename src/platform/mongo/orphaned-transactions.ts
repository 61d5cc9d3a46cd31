import { randomUUID } from 'node:crypto';
import { Binary, type Collection, type Db } from 'mongodb';
import { BoundedMap } from '../../common/bounded.js';
import { readPidScope, readProcessInfo } from '../processes/process-info.js';

const PROCESS_SESSIONS = 'process_sessions';

/** The sessions on which a process has run transactions. */
export type ProcessSessionsRow = {
  /** random, new at every start */
  _id: string;
  /** the machine, its boot and the pid namespace, in which `pid` is unique (`readPidScope`) */
  scope: string;
  pid: number;
  startTime: string;
  sessions: Binary[];
  /** by the clock of the database */
  seenAt: Date;
};

/** Sessions beyond the pool size belong to broken connections. */
const MAX_SESSIONS = 500;
const REWRITE_EVERY_MS = 3_600_000;
const ROW_TTL_MS = 7 * 24 * 3_600_000;
const SCAN_INTERVAL_MS = 250;
const KILL_INTERVAL_MS = 500;
/** After this time the server aborts the transaction (`transactionLifetimeLimitSeconds`, checked periodically). */
const MAX_TRANSACTION_MS = 120_000;

/**
 * Kills open transactions, which otherwise hold locks for transactionLifetimeLimitSeconds: those of dead processes of this host after
 * repeated write conflicts, and those of this process after a network loss. Each process records its sessions.
 */
export class OrphanedTransactions {
  private readonly id = randomUUID();
  private identity: Promise<Pick<ProcessSessionsRow, 'scope' | 'pid' | 'startTime'>> | undefined;
  private readonly sessions = new BoundedMap<string, Binary>(MAX_SESSIONS);
  private writtenAt = -Infinity;
  private scannedAt = -Infinity;
  private scan: Promise<void> | undefined;
  /** sessions that may have an open transaction on the server, and the time of their loss */
  private readonly abandoned = new BoundedMap<Binary, number>(MAX_SESSIONS);
  private killTimer: NodeJS.Timeout | undefined;

  constructor(private readonly db: () => Db) {}

  /** Call this before the transaction begins. Writes only for a new session, and never rejects. */
  async track(id: Binary | undefined): Promise<void> {
    if (id === undefined) return;
    const name = id.toString('hex');
    if (this.sessions.has(name) && performance.now() - this.writtenAt < REWRITE_EVERY_MS) return;
    this.sessions.set(name, id);
    try {
      this.identity ??= identify();
      const identity = await this.identity;
      const known = [...this.sessions.values()];
      // Two of these writes may arrive out of order.
      const others = { $setDifference: [{ $ifNull: ['$sessions', []] }, known] };
      const sessions = { $slice: [{ $concatArrays: [others, known] }, -MAX_SESSIONS] };
      const options = { upsert: true, writeConcern: { w: 1, journal: false } };
      await this.rows.updateOne({ _id: this.id }, [{ $set: { ...identity, sessions, seenAt: '$$NOW' } }], options);
      this.writtenAt = performance.now();
    } catch {
      // Without a database the transaction also fails. The next transaction retries this write.
      this.sessions.delete(name);
    }
  }

  /** Kills the open transactions of dead processes of this host, at most four times a second. Never rejects. */
  async killOrphans(): Promise<void> {
    if (performance.now() - this.scannedAt < SCAN_INTERVAL_MS) return this.scan;
    this.scannedAt = performance.now();
    this.scan = this.killThoseOfDeadProcesses().catch(() => {});
    await this.scan;
  }

  /** Schedules the kill of an abandoned session, which may have an open transaction, for when the server responds. */
  scheduleKill(id: Binary | undefined): void {
    if (id === undefined) return;
    this.abandoned.set(id, performance.now());
    this.killTimer ??= setTimeout(() => void this.killAbandoned(), KILL_INTERVAL_MS).unref();
  }

  private async killAbandoned(): Promise<void> {
    const ids = [...this.abandoned.keys()];
    try {
      await this.kill(ids);
      for (const id of ids) this.abandoned.delete(id);
    } catch {
      for (const [id, since] of this.abandoned)
        if (performance.now() - since > MAX_TRANSACTION_MS) this.abandoned.delete(id);
    }
    const isDone = this.abandoned.size === 0;
    this.killTimer = isDone ? undefined : setTimeout(() => void this.killAbandoned(), KILL_INTERVAL_MS).unref();
  }

  private async kill(sessions: Binary[]): Promise<void> {
    // An empty list would kill all sessions of this user.
    if (sessions.length === 0) return;
    const ids = sessions.map((id) => ({ id: new Binary(id.buffer, Binary.SUBTYPE_UUID) }));
    await this.db().client.db('admin').command({ killSessions: ids });
  }

  private async killThoseOfDeadProcesses(): Promise<void> {
    const { scope } = await (this.identity ??= identify());
    for (const { _id, pid, startTime, sessions } of await this.rows.find({ scope }).toArray()) {
      if ((await readProcessInfo(pid))?.startTime === startTime) continue;
      await this.kill(sessions);
      await this.rows.deleteOne({ _id });
    }
    const isOld = { $lt: ['$seenAt', { $subtract: ['$$NOW', ROW_TTL_MS] }] };
    await this.rows.deleteMany({ $expr: isOld });
  }

  private get rows(): Collection<ProcessSessionsRow> {
    return this.db().collection<ProcessSessionsRow>(PROCESS_SESSIONS);
  }
}

async function identify(): Promise<Pick<ProcessSessionsRow, 'scope' | 'pid' | 'startTime'>> {
  const [scope, info] = await Promise.all([readPidScope(), readProcessInfo(process.pid)]);
  return { scope, pid: process.pid, startTime: info!.startTime };
}
