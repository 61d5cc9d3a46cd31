import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable, Logger } from '@nestjs/common';
import { type Collection, type Document } from 'mongodb';
import { isDatabaseOutage } from '../../common/database-outage.js';
import { gauge } from '../prometheus/metric.js';
import { isDuplicateKey } from './duplicate-key.js';
import { MongoService } from './mongo.service.js';
import type { Transaction } from './transaction.js';

export type Lease = {
  name: string;
  holder: string;
  /** fencing token: increases with each new holder, so that a stale write can be detected */
  token: number;
  /** expiry by the database's clock, which each renewal extends */
  expiresAt: Date;
};

export type LeaseDocument = Omit<Lease, 'name'> & { _id: string };

export type LeaseOutcome<T> = { ran: false } | { ran: true; result: T };

/** The lease has been lost. Another process may hold the lease. */
export class LeaseLostError extends Error {
  constructor(name: string) {
    super(`The lease ${name} is lost.`);
    this.name = 'LeaseLostError';
  }
}

const held = gauge({
  name: 'opencanvas_lease_held',
  help: '1 while a process of the host holds the lease of a job, otherwise 0',
  labelNames: ['task'],
});

const DEFAULT_TTL_MS = 15_000;

/** Leases that elect one process among all hosts, stored in `leases`. Only the database's clock is used. */
@Injectable()
export class LeaseService {
  private readonly logger = new Logger(LeaseService.name);

  constructor(private readonly mongo: MongoService) {}

  /** Returns null while another process holds the lease. */
  async acquire(name: string, ttlMs = DEFAULT_TTL_MS): Promise<Lease | null> {
    const holder = `${hostname()}:${process.pid}:${randomUUID()}`;
    // An upsert cannot filter by $expr, so the pipeline checks the condition. It rewrites a held lease unchanged.
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
      // A concurrent first acquire has inserted the lease.
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  /** Returns false if another process has acquired the lease. An expired lease that was not acquired can be renewed. */
  async renew(lease: Lease, ttlMs = DEFAULT_TTL_MS): Promise<boolean> {
    const extend = { $set: { expiresAt: { $add: ['$$NOW', ttlMs] } } };
    const renewed = await this.leases.findOneAndUpdate(ours(lease), [extend], { returnDocument: 'after' });
    if (renewed !== null) lease.expiresAt = renewed.expiresAt;
    return renewed !== null;
  }

  /**
   * Returns options for a write outside a transaction, of at most `limitMs`. The server rejects the write unless the lease lasts that long,
   * so a paused holder cannot write after its lease has expired.
   */
  fence(lease: Lease, limitMs: number): { let: Document; maxTimeMS: number } {
    const isHeld = { $lt: ['$$NOW', new Date(lease.expiresAt.getTime() - limitMs)] };
    // Only a failing expression can reject the write. Its text appears in the error.
    return { let: { isHeld: { $toInt: { $cond: [isHeld, 1, 'the lease is over'] } } }, maxTimeMS: limitMs };
  }

  /** Expires the lease. The document is not deleted, so that tokens keep increasing. */
  async release(lease: Lease): Promise<void> {
    await this.leases.updateOne(ours(lease), [{ $set: { expiresAt: '$$NOW' } }]);
  }

  /** Fences a transaction, which then commits only while the lease is held. @throws LeaseLostError */
  async confirm(lease: Lease, tx: Transaction): Promise<void> {
    const { matchedCount } = await this.leases.updateOne(ours(lease), [{ $set: { confirmedAt: '$$NOW' } }], {
      session: tx.session,
    });
    if (matchedCount !== 1) throw new LeaseLostError(lease.name);
  }

  /**
   * Runs `fn` while holding the lease, which is renewed every third of its TTL. Returns `{ ran: false }` if another process holds the
   * lease. `signal` aborts when the lease is lost or cannot be renewed in time; `fn` must then stop writing.
   */
  async withLease<T>(
    name: string,
    fn: (signal: AbortSignal, lease: Lease) => Promise<T>,
    { ttlMs = DEFAULT_TTL_MS }: { ttlMs?: number } = {},
  ): Promise<LeaseOutcome<T>> {
    // Measured before the request is sent, so that we never assume a later expiry than the database.
    let acquiredAt = performance.now();
    const lease = await this.acquire(name, ttlMs);
    if (!lease) return { ran: false };

    const lost = new AbortController();
    const lose = () => lost.abort(new LeaseLostError(name));
    const remaining = () => ttlMs - (performance.now() - acquiredAt);
    let end = setTimeout(lose, remaining());
    let renewing: Promise<void> | undefined;
    const renewal = setInterval(() => {
      const startedAt = performance.now();
      renewing ??= this.renew(lease, ttlMs)
        .then(
          (isOurs) => {
            if (!isOurs) return lose();
            acquiredAt = startedAt;
            clearTimeout(end);
            end = setTimeout(lose, remaining());
          },
          (error: unknown) => this.logger.warn(`The lease ${name} could not be renewed: ${String(error)}`),
        )
        .finally(() => (renewing = undefined));
    }, ttlMs / 3);
    let isInDoubt = false;
    held.set({ task: name }, 1);
    try {
      return { ran: true, result: await fn(lost.signal, lease) };
    } catch (error) {
      // Commands in flight may still reach the server, so the lease must expire instead of being released.
      isInDoubt = isDatabaseOutage(error);
      throw error;
    } finally {
      clearInterval(renewal);
      held.set({ task: name }, 0);
      // A renewal that arrives after the release would extend the lease.
      await renewing;
      clearTimeout(end);
      if (!isInDoubt) {
        await this.release(lease).catch((error: unknown) =>
          this.logger.warn(`The lease ${name} could not be released and will expire: ${String(error)}`),
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
