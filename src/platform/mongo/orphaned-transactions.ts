import { hostname } from 'node:os';
import { Binary, type Collection, type Db } from 'mongodb';
import { readProcessInfo } from './process-info.js';

const PROCESS_SESSIONS = 'process_sessions';

/** The sessions a process has run transactions on. */
export type ProcessSessionsRow = { _id: string; host: string; pid: number; sessions: Binary[]; seenAt: Date };

/** more sessions than a process has connections are leftovers of broken ones */
const MAX_SESSIONS = 500;
const REWRITE_EVERY_MS = 3_600_000;
const FORGET_AFTER_MS = 7 * 24 * 3_600_000;
const LOOK_AGAIN_MS = 250;
const END_AGAIN_MS = 500;
/** Sessions of this very process, hex: two servers in one process, as tests have them, share a name and must not end each other's. */
const ours = new Set<string>();
/** by then the server has ended it itself (`transactionLifetimeLimitSeconds`, looked at every so often) */
const LONGEST_LIFE_MS = 120_000;

/**
 * A transaction outlives the process that began it, and the connection: the server keeps its locks for transactionLifetimeLimitSeconds (a minute, 20 s where it is
 * ours), and every write to a post that a killed worker was just counting for would meet a conflict until then. So each process writes down the
 * sessions it uses, and whoever meets conflicts ends the sessions of those processes of this host that are gone. A process that
 * cannot end its own transaction because the network is away does so when it is back.
 */
export class OrphanedTransactions {
  private readonly id = `${hostname()}:${process.pid}`;
  private readonly sessions = new Map<string, Binary>();
  private writtenAt = 0;
  private lookedAt = 0;
  private looking: Promise<void> | undefined;
  /** sessions whose transaction may be open on the server, and since when */
  private readonly left = new Map<Binary, number>();
  private ending: NodeJS.Timeout | undefined;

  constructor(private readonly db: () => Db) {}

  /** Call before the transaction begins; costs a write only for a session that was not used before. Never rejects. */
  async remember(id: Binary | undefined): Promise<void> {
    if (id === undefined) return;
    const name = id.toString('hex');
    if (this.sessions.has(name) && Date.now() - this.writtenAt < REWRITE_EVERY_MS) return;
    this.sessions.set(name, id);
    ours.add(name);
    if (this.sessions.size > MAX_SESSIONS) this.forget(this.sessions.keys().next().value!);
    try {
      // new here, so a row of its name is that of an earlier process, or of another server in this one
      if (this.writtenAt === 0) await this.end([this.id]);
      const row = { host: hostname(), pid: process.pid, sessions: [...this.sessions.values()], seenAt: new Date() };
      await this.rows.replaceOne({ _id: this.id }, row, { upsert: true, writeConcern: { w: 1, journal: false } });
      this.writtenAt = Date.now();
    } catch {
      // without a database there will be no transaction either; the next one tries again
      this.forget(name);
    }
  }

  private forget(name: string): void {
    this.sessions.delete(name);
    ours.delete(name);
  }

  /** Ends what dead processes of this host left open; looks at most four times a second. Never rejects. */
  async end(also: string[] = []): Promise<void> {
    if (also.length === 0 && Date.now() - this.lookedAt < LOOK_AGAIN_MS) return this.looking;
    this.lookedAt = Date.now();
    this.looking = this.endThoseOfTheDead(also).catch(() => {});
    await this.looking;
  }

  /** Nobody uses this session again, and whether its transaction has ended is not known: it is ended as soon as the server answers. */
  leave(id: Binary | undefined): void {
    if (id === undefined) return;
    this.left.set(id, Date.now());
    if (this.left.size > MAX_SESSIONS) this.left.delete(this.left.keys().next().value!);
    this.ending ??= setTimeout(() => void this.endThoseLeft(), END_AGAIN_MS).unref();
  }

  private async endThoseLeft(): Promise<void> {
    const ids = [...this.left.keys()];
    try {
      await this.kill(ids);
      for (const id of ids) this.left.delete(id);
    } catch {
      for (const [id, since] of this.left) if (Date.now() - since > LONGEST_LIFE_MS) this.left.delete(id);
    }
    const isDone = this.left.size === 0;
    this.ending = isDone ? undefined : setTimeout(() => void this.endThoseLeft(), END_AGAIN_MS).unref();
  }

  private async kill(sessions: Binary[]): Promise<void> {
    // an empty list would mean: all of this user
    if (sessions.length === 0) return;
    const ids = sessions.map((id) => ({ id: new Binary(id.buffer, Binary.SUBTYPE_UUID) }));
    await this.db().client.db('admin').command({ killSessions: ids });
  }

  private async endThoseOfTheDead(also: string[]): Promise<void> {
    const rows = await this.rows.find({ host: hostname() }).toArray();
    for (const { _id, pid, sessions } of rows) {
      if (!also.includes(_id) && (await readProcessInfo(pid)) !== null) continue;
      await this.kill(sessions.filter((id) => !ours.has(id.toString('hex'))));
      await this.rows.deleteOne({ _id });
    }
    await this.rows.deleteMany({ seenAt: { $lt: new Date(Date.now() - FORGET_AFTER_MS) } });
  }

  private get rows(): Collection<ProcessSessionsRow> {
    return this.db().collection<ProcessSessionsRow>(PROCESS_SESSIONS);
  }
}
