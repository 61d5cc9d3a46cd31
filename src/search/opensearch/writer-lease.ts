import type { Lease, LeaseService } from '../../platform/mongo/lease.service.js';
import { IndexLocked, type Position } from '../search-index.js';

/** time until another process may follow a killed one */
const TTL_MS = 30_000;
const RENEW_EVERY_MS = 5_000;
const ACQUIRE_EVERY_MS = 5_000;
/** batches of one holder; versions have 53 bits */
const VERSIONS = 2 ** 32;

/** The lease of the only writer of the cluster. */
export class WriterLease {
  private lease: Lease | null = null;
  private renewedAt = 0;
  private triedAt = -Infinity;
  private batches = 0;

  constructor(
    private readonly leases: LeaseService,
    private readonly name: string,
  ) {}

  /** Acquires or renews the lease. @throws IndexLocked with the position of the holder */
  async acquire(readPosition: () => Promise<Position | null>): Promise<void> {
    if (this.lease !== null) return this.keep(0);
    // The database has one more write for each attempt of each host.
    const now = performance.now();
    if (now - this.triedAt < ACQUIRE_EVERY_MS) throw new IndexLocked('another host writes the index');
    this.lease = await this.leases.acquire(this.name, TTL_MS);
    if (this.lease === null) {
      this.triedAt = now;
      throw new IndexLocked('another host writes the index', await readPosition());
    }
    this.renewedAt = now;
    this.batches = 0;
  }

  /** Call this before each write. @throws IndexLocked if another host has the lease */
  async keep(everyMs = RENEW_EVERY_MS): Promise<void> {
    const now = performance.now();
    if (this.lease === null) throw new IndexLocked('this process does not write the index');
    if (now - this.renewedAt < everyMs) return;
    if (!(await this.leases.renew(this.lease, TTL_MS))) {
      this.lease = null;
      throw new IndexLocked('another host writes the index');
    }
    this.renewedAt = now;
  }

  /** Returns the version of the rows of a batch: above those of earlier batches and of earlier holders, whose late writes are then refused. */
  nextVersion(): number {
    return this.lease!.token * VERSIONS + ++this.batches;
  }

  async release(): Promise<void> {
    if (this.lease !== null) await this.leases.release(this.lease);
    this.lease = null;
  }
}
