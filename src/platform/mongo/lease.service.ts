import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable, Logger } from '@nestjs/common';
import { type ClientSession, type Collection, type Document } from 'mongodb';
import { isDatabaseOutage } from '../../common/database-outage.js';
import { isDuplicateKey } from './duplicate-key.js';
import { MongoService } from './mongo.service.js';

export interface LeaseDocument {
  _id: string;
  holder: string;
  token: number;
  expiresAt: Date;
}

export interface Lease {
  name: string;
  holder: string;
  /** fencing: grows with every change of hands, so a write that carries an older one can be told apart */
  token: number;
  /** by the database's clock; later after each renewal */
  expiresAt: Date;
}

export interface LeaseOptions {
  ttlMs?: number;
}

export type LeaseOutcome<T> = { ran: false } | { ran: true; result: T };

/** What keeps a holder that stood still, however long, from changing anything after its lease. */
export interface Fence {
  /**
   * Options of updates and deletes outside a transaction: the server works on them for `maxTimeMS` at most, and refuses them when less
   * than that is left of the lease. The command fails as a whole by its `let`.
   */
  fields(): { let: Document; maxTimeMS: number };
  /**
   * For what these options cannot hold: no other holder can begin within the limit.
   * @throws LeaseLostError
   */
  confirm(): Promise<void>;
}

/** The work was overtaken: somebody else holds the lease by now, or could. */
export class LeaseLostError extends Error {
  constructor(name: string) {
    super(`The lease ${name} is lost.`);
    this.name = 'LeaseLostError';
  }
}

const DEFAULT_TTL_MS = 15_000;

/** One runner among any number of processes and hosts, by documents in `leases`; only the database's clock counts. */
@Injectable()
export class LeaseService {
  private readonly logger = new Logger(LeaseService.name);

  constructor(private readonly mongo: MongoService) {}

  /** Null while somebody else holds it. */
  async acquire(name: string, ttlMs = DEFAULT_TTL_MS): Promise<Lease | null> {
    const holder = `${hostname()}:${process.pid}:${randomUUID()}`;
    // An upsert may not filter by $expr, so the condition lives in the pipeline: a held lease is rewritten as it is.
    const isFree = { $lte: [{ $ifNull: ['$expiresAt', new Date(0)] }, '$$NOW'] };
    const ifFree = (value: unknown, field: string) => ({ $cond: [isFree, value, field] });
    const take = {
      holder: ifFree(holder, '$holder'),
      token: ifFree({ $add: [{ $ifNull: ['$token', 0] }, 1] }, '$token'),
      expiresAt: ifFree({ $add: ['$$NOW', ttlMs] }, '$expiresAt'),
    };
    try {
      const lease = await this.leases.findOneAndUpdate({ _id: name }, [{ $set: take }], {
        upsert: true,
        returnDocument: 'after',
      });
      return lease?.holder === holder ? { name, holder, token: lease.token, expiresAt: lease.expiresAt } : null;
    } catch (error) {
      // Two first-time acquires met in the insert.
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  /** False when it went to somebody else. A lease that ran out but that nobody took is still ours and lives on. */
  async renew(lease: Lease, ttlMs = DEFAULT_TTL_MS): Promise<boolean> {
    const extend = { $set: { expiresAt: { $add: ['$$NOW', ttlMs] } } };
    const renewed = await this.leases.findOneAndUpdate(ours(lease), [extend], { returnDocument: 'after' });
    if (renewed !== null) lease.expiresAt = renewed.expiresAt;
    return renewed !== null;
  }

  /** For commands that take `limitMs` at most. */
  fence(lease: Lease, limitMs: number): Fence {
    return { fields: () => fenceOf(lease, limitMs), confirm: () => this.requireHeld(lease, limitMs) };
  }

  private async requireHeld(lease: Lease, forMs: number): Promise<void> {
    const isHeld = { $expr: { $gt: ['$expiresAt', { $add: ['$$NOW', forMs] }] } };
    if ((await this.leases.findOne({ ...ours(lease), ...isHeld })) === null) throw new LeaseLostError(lease.name);
  }

  /** The document stays, so that tokens keep growing. */
  async release(lease: Lease): Promise<void> {
    await this.leases.updateOne(ours(lease), [{ $set: { expiresAt: '$$NOW' } }]);
  }

  /**
   * The fence for a transaction: it commits only if the lease was still ours then (a take-over in between is a write conflict).
   * @throws LeaseLostError
   */
  async confirm(lease: Lease, session: ClientSession): Promise<void> {
    const { matchedCount } = await this.leases.updateOne(ours(lease), [{ $set: { confirmedAt: '$$NOW' } }], {
      session,
    });
    if (matchedCount !== 1) throw new LeaseLostError(lease.name);
  }

  /**
   * Runs `fn` while holding the lease, renewing it every third of its time; `{ ran: false }` when somebody else has it.
   * `signal` aborts when the lease was taken, or could not be renewed before it ran out: `fn` must then stop writing.
   */
  async withLease<T>(
    name: string,
    fn: (signal: AbortSignal, lease: Lease) => Promise<T>,
    options: LeaseOptions = {},
  ): Promise<LeaseOutcome<T>> {
    const ttlMs = options.ttlMs ?? DEFAULT_TTL_MS;
    // Counted from before the request left: our idea of the end is never later than the database's.
    let heldSince = performance.now();
    const lease = await this.acquire(name, ttlMs);
    if (!lease) return { ran: false };

    const lost = new AbortController();
    const lose = () => lost.abort(new LeaseLostError(name));
    const remaining = () => ttlMs - (performance.now() - heldSince);
    let end = setTimeout(lose, remaining());
    let renewing: Promise<void> | undefined;
    const renewal = setInterval(() => {
      const startedAt = performance.now();
      renewing ??= this.renew(lease, ttlMs)
        .then(
          (isOurs) => {
            if (!isOurs) return lose();
            heldSince = startedAt;
            clearTimeout(end);
            end = setTimeout(lose, remaining());
          },
          (error: unknown) => this.logger.warn(`The lease ${name} could not be renewed: ${String(error)}`),
        )
        .finally(() => (renewing = undefined));
    }, ttlMs / 3);
    let isInDoubt = false;
    try {
      return { ran: true, result: await fn(lost.signal, lease) };
    } catch (error) {
      // what was sent may still reach the server: nothing of it does after the end of the lease
      isInDoubt = isDatabaseOutage(error);
      throw error;
    } finally {
      clearInterval(renewal);
      // A renewal that arrives after the release would hold the lease for nobody.
      await renewing;
      clearTimeout(end);
      if (!isInDoubt) {
        await this.release(lease).catch((error: unknown) =>
          this.logger.warn(`The lease ${name} runs out by itself: ${String(error)}`),
        );
      }
    }
  }

  private get leases(): Collection<LeaseDocument> {
    return this.mongo.collection<LeaseDocument>('leases');
  }
}

function fenceOf(lease: Lease, limitMs: number): ReturnType<Fence['fields']> {
  const isHeld = { $lt: ['$$NOW', new Date(lease.expiresAt.getTime() - limitMs)] };
  // an expression that fails is the one way to refuse there, and its text is in the error
  return { let: { isHeld: { $toInt: { $cond: [isHeld, 1, 'the lease is over'] } } }, maxTimeMS: limitMs };
}

function ours({ name, holder, token }: Lease) {
  return { _id: name, holder, token };
}
