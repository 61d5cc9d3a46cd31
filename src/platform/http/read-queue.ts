import type { ServerResponse } from 'node:http';
import { noteQueueWait } from './server-timing.js';

type Waiting = { go: () => void; bridge: () => boolean; since: number };

/**
 * At least so many at the same time, however late the event loop is: while some wait for the database, others compute, and pages that
 * are asked for together share a round trip (at most 16 of them).
 */
const MIN_RUNNING = 16;
/** Before anything is known. */
const FIRST_RUNNING = 32;
/** Lateness of a timer that is meant to be the usual one; a turn of the event loop is about twice as long. */
const TARGET_LATE_MS = 5;
/** Time in one turn of the event loop in which reads are begun; the rest waits until hits and new connections had their look-in. */
const TURN_MS = 10;
/** Reads that wait for longer have met a pause, not a crowd: as long as a computation gets before the cache bridges it. */
const PATIENCE_MS = 1_000;
const LESS = 0.8;
const MORE = 1 / LESS;

/**
 * Reads wait here, not in the event loop. A turn of the loop works on all that is ready, so a hundred reads at once make turns of a
 * hundred reads' length: so long waits each hit of the cache, each health answer, and each new connection, of which node takes one
 * per turn. Only as many run as keep the turns short, which costs no throughput: it is the CPU that they wait for. When it is not
 * (the database pauses), the loop is on time, and more are let run, soon all.
 */
export class ReadQueue {
  private limit: number;
  private readonly running = new Set<ServerResponse>();
  /** in the order they came */
  private readonly waitingFor = new Map<ServerResponse, Waiting>();
  /** null: no read was begun in this turn */
  private turnEndsAt: number | null = null;

  constructor(private readonly max: number) {
    this.limit = Math.min(FIRST_RUNNING, max);
  }

  get waiting(): number {
    return this.waitingFor.size;
  }

  /** Calls `go` when it is this read's turn, at once when nobody waits; or `bridge` when that takes too long, and true ends its wait. */
  enter(response: ServerResponse, go: () => void, bridge: () => boolean = () => false): void {
    if (this.running.size >= this.limit || this.isTurnOver())
      this.waitingFor.set(response, { go, bridge, since: performance.now() });
    else {
      this.running.add(response);
      go();
    }
  }

  /** The client of a read that still waits is gone: nothing was begun for it. False when it has begun. */
  drop(response: ServerResponse): boolean {
    return this.waitingFor.delete(response);
  }

  /** The work of a read is done. */
  done(response: ServerResponse): void {
    if (this.running.delete(response)) this.next();
  }

  /** To be told regularly how late the event loop is. */
  adjust(lateMs: number): void {
    if (lateMs > TARGET_LATE_MS) this.limit = Math.max(Math.min(MIN_RUNNING, this.max), this.limit * LESS);
    else if (this.waitingFor.size > 0) this.limit = Math.min(this.max, this.limit * MORE);
    this.next();
    this.bridgeOld(performance.now() - PATIENCE_MS);
  }

  /** Those that run may hang while a busy loop lets no more of them run. */
  private bridgeOld(before: number): void {
    for (const [response, { bridge, since }] of this.waitingFor) {
      if (since > before) return;
      if (bridge()) this.waitingFor.delete(response);
    }
  }

  /** Reads that need no database end in the turn they began in, so their number says nothing: only the clock does. */
  private isTurnOver(): boolean {
    const now = performance.now();
    if (this.turnEndsAt !== null) return now >= this.turnEndsAt;
    this.turnEndsAt = now + TURN_MS;
    setImmediate(() => {
      this.turnEndsAt = null;
      this.next();
    });
    return false;
  }

  private next(): void {
    while (this.running.size < this.limit) {
      const [first] = this.waitingFor;
      if (first === undefined || this.isTurnOver()) return;
      const [response, { go, since }] = first;
      this.waitingFor.delete(response);
      noteQueueWait(response, performance.now() - since);
      this.running.add(response);
      go();
    }
  }
}
