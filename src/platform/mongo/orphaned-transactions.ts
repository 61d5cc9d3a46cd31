import { randomUUID } from 'node:crypto';
import { Binary, type Collection, type Db } from 'mongodb';
import { BoundedMap } from '../../common/bounded.js';
import { readPidScope, readProcessInfo } from '../processes/process-info.js';

const PROCESS_SESSIONS = 'process_sessions';

/** The sessions on which a process has run transactions. */
export type ProcessSessionsRow = {
  /** random, new for every start */
  _id: string;
  /** the machine, its boot and the pid namespace in which `pid` is this process (`readPidScope`) */
  scope: string;
  pid: number;
  startTime: string;
  sessions: Binary[];
  /** by the clock of the database */
  seenAt: Date;
};

/** sessions beyond the number of connections belong to broken ones */
const MAX_SESSIONS = 500;
const REWRITE_EVERY_MS = 3_600_000;
const FORGET_AFTER_MS = 7 * 24 * 3_600_000;
const LOOK_AGAIN_MS = 250;
const END_AGAIN_MS = 500;
/** by then the server has ended the transaction itself (`transactionLifetimeLimitSeconds`, checked periodically) */
const LONGEST_LIFE_MS = 120_000;

/**
 * The transaction of a dead process keeps its locks for transactionLifetimeLimitSeconds. So each process records its sessions; after
 * repeated write conflicts the sessions of dead processes of this host are killed. A process that lost the network ends its own sessions
 * later.
 */
export class OrphanedTransactions {
  private readonly id = randomUUID();
  private identity: Promise<Pick<ProcessSessionsRow, 'scope' | 'pid' | 'startTime'>> | undefined;
  private readonly sessions = new BoundedMap<string, Binary>(MAX_SESSIONS);
  private writtenAt = -Infinity;
  private lookedAt = -Infinity;
  private looking: Promise<void> | undefined;
  /** sessions with a possibly open transaction on the server, and the time since when */
  private readonly left = new BoundedMap<Binary, number>(MAX_SESSIONS);
  private ending: NodeJS.Timeout | undefined;

  constructor(private readonly db: () => Db) {}

  /** Call it before the transaction begins; it costs a write only for a new session. Never rejects. */
  async remember(id: Binary | undefined): Promise<void> {
    if (id === undefined) return;
    const name = id.toString('hex');
    if (this.sessions.has(name) && performance.now() - this.writtenAt < REWRITE_EVERY_MS) return;
    this.sessions.set(name, id);
    try {
      this.identity ??= identify();
      const identity = await this.identity;
      const known = [...this.sessions.values()];
      // two of these writes may arrive in another order than they were sent
      const others = { $setDifference: [{ $ifNull: ['$sessions', []] }, known] };
      const sessions = { $slice: [{ $concatArrays: [others, known] }, -MAX_SESSIONS] };
      const options = { upsert: true, writeConcern: { w: 1, journal: false } };
      await this.rows.updateOne({ _id: this.id }, [{ $set: { ...identity, sessions, seenAt: '$$NOW' } }], options);
      this.writtenAt = performance.now();
    } catch {
      // without a database there is no transaction either; the next one tries again
      this.sessions.delete(name);
    }
  }

  /** Ends the open transactions of dead processes of this host; at most four times a second. Never rejects. */
  async end(): Promise<void> {
    if (performance.now() - this.lookedAt < LOOK_AGAIN_MS) return this.looking;
    this.lookedAt = performance.now();
    this.looking = this.endThoseOfDeadProcesses().catch(() => {});
    await this.looking;
  }

  /** For a session that is no longer used and may have an open transaction: ends it as soon as the server responds. */
  leave(id: Binary | undefined): void {
    if (id === undefined) return;
    this.left.set(id, performance.now());
    this.ending ??= setTimeout(() => void this.endThoseLeft(), END_AGAIN_MS).unref();
  }

  private async endThoseLeft(): Promise<void> {
    const ids = [...this.left.keys()];
    try {
      await this.kill(ids);
      for (const id of ids) this.left.delete(id);
    } catch {
      for (const [id, since] of this.left) if (performance.now() - since > LONGEST_LIFE_MS) this.left.delete(id);
    }
    const isDone = this.left.size === 0;
    this.ending = isDone ? undefined : setTimeout(() => void this.endThoseLeft(), END_AGAIN_MS).unref();
  }

  private async kill(sessions: Binary[]): Promise<void> {
    // an empty list would mean all sessions of this user
    if (sessions.length === 0) return;
    const ids = sessions.map((id) => ({ id: new Binary(id.buffer, Binary.SUBTYPE_UUID) }));
    await this.db().client.db('admin').command({ killSessions: ids });
  }

  private async endThoseOfDeadProcesses(): Promise<void> {
    const { scope } = await (this.identity ??= identify());
    for (const { _id, pid, startTime, sessions } of await this.rows.find({ scope }).toArray()) {
      if ((await readProcessInfo(pid))?.startTime === startTime) continue;
      await this.kill(sessions);
      await this.rows.deleteOne({ _id });
    }
    const isOld = { $lt: ['$seenAt', { $subtract: ['$$NOW', FORGET_AFTER_MS] }] };
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
