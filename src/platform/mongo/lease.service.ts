import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable, Logger } from '@nestjs/common';
import { type ClientSession, type Collection, type Document } from 'mongodb';
import { isDatabaseOutage } from '../../common/database-outage.js';
import { isDuplicateKey } from './duplicate-key.js';
import { MongoService } from './mongo.service.js';

export type Lease = {
  name: string;
  holder: string;
  /** fencing: increases with each new holder, so that a write with an older token can be detected */
  token: number;
  /** by the database's clock; later after each renewal */
  expiresAt: Date;
};

export type LeaseDocument = Omit<Lease, 'name'> & { _id: string };

export type LeaseOutcome<T> = { ran: false } | { ran: true; result: T };

/** Another process may hold the lease. */
export class LeaseLostError extends Error {
  constructor(name: string) {
    super(`The lease ${name} is lost.`);
    this.name = 'LeaseLostError';
  }
}

const DEFAULT_TTL_MS = 15_000;

/** One runner among all processes and hosts, by documents in `leases`; only the database's clock counts. */
@Injectable()
export class LeaseService {
  private readonly logger = new Logger(LeaseService.name);

  constructor(private readonly mongo: MongoService) {}

  /** Null while another process holds it. */
  async acquire(name: string, ttlMs = DEFAULT_TTL_MS): Promise<Lease | null> {
    const holder = `${hostname()}:${process.pid}:${randomUUID()}`;
    // An upsert may not filter by $expr, so the condition is in the pipeline: a held lease is rewritten unchanged.
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
      // Two first-time acquires inserted concurrently.
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  /** False when another process has taken it. An expired lease that was not taken is still ours. */
  async renew(lease: Lease, ttlMs = DEFAULT_TTL_MS): Promise<boolean> {
    const extend = { $set: { expiresAt: { $add: ['$$NOW', ttlMs] } } };
    const renewed = await this.leases.findOneAndUpdate(ours(lease), [extend], { returnDocument: 'after' });
    if (renewed !== null) lease.expiresAt = renewed.expiresAt;
    return renewed !== null;
  }

  /**
   * Options of a write outside a transaction that takes at most `limitMs`: the server refuses it unless the lease lasts that long, so a
   * holder that was paused changes nothing after the end of its lease.
   */
  fence(lease: Lease, limitMs: number): { let: Document; maxTimeMS: number } {
    const isHeld = { $lt: ['$$NOW', new Date(lease.expiresAt.getTime() - limitMs)] };
    // only a failing expression can refuse the write here, and its text is in the error
    return { let: { isHeld: { $toInt: { $cond: [isHeld, 1, 'the lease is over'] } } }, maxTimeMS: limitMs };
  }

  /** The document stays, so that tokens continue to increase. */
  async release(lease: Lease): Promise<void> {
    await this.leases.updateOne(ours(lease), [{ $set: { expiresAt: '$$NOW' } }]);
  }

  /** The fence of a transaction: it commits only if the lease is still ours. @throws LeaseLostError */
  async confirm(lease: Lease, session: ClientSession): Promise<void> {
    const { matchedCount } = await this.leases.updateOne(ours(lease), [{ $set: { confirmedAt: '$$NOW' } }], {
      session,
    });
    if (matchedCount !== 1) throw new LeaseLostError(lease.name);
  }

  /**
   * Runs `fn` under the lease, renewed every third of its time; `{ ran: false }` if another process has it. `signal` aborts when
   * the lease was taken, or could not be renewed in time: `fn` must then stop writing.
   */
  async withLease<T>(
    name: string,
    fn: (signal: AbortSignal, lease: Lease) => Promise<T>,
    { ttlMs = DEFAULT_TTL_MS }: { ttlMs?: number } = {},
  ): Promise<LeaseOutcome<T>> {
    // Counted from before the request was sent: our end of the lease is never later than the database's.
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
      // sent commands may still reach the server, so the lease is not released early: it expires
      isInDoubt = isDatabaseOutage(error);
      throw error;
    } finally {
      clearInterval(renewal);
      // a renewal that arrives after the release would leave the lease held
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

function ours({ name, holder, token }: Lease) {
  return { _id: name, holder, token };
}
