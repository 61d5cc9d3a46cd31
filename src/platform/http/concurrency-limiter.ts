import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { AppConfig } from '../../config/app-config.js';
import { ThroughputMeter } from './throughput-meter.js';
import { exportLimiterMetrics } from './limiter-metrics.js';
import { isHealthCheck } from './request-identity.js';
import { PrebuiltOverloadResponse } from './prebuilt-overload-response.js';
import { recordWait, type ResponseHeaders } from './response-headers.js';
import { ClientBoundRequests, emitClose, type WaitsForClient } from './client-bound-requests.js';

export type ConcurrencyLimits = Pick<
  AppConfig['http'],
  'maxInFlight' | 'maxWaitMs' | 'maxEventLoopDelayMs' | 'bodyLimitBytes'
>;

export type RequestOptions = {
  /** admitted under any load, like health checks */
  isUrgent: boolean;
  /** serves a stale read from the cache; returns false when there is no entry */
  serveStaleOnError: () => boolean;
};

type Tracked = RequestOptions &
  WaitsForClient & {
    isRead: boolean;
    next: () => void;
    since: number;
    /** counts against `readLimit` */
    isRunningRead: boolean;
  };

/** Pipelined requests beyond this are refused: otherwise a few clients that read nothing could hold every slot. */
const MAX_PER_CONNECTION = 16;
/** Always admitted: few enough to cost no memory, and a pause of the database must not turn away every client. */
const MIN_LIMIT = 100;
const SAMPLE_EVERY_MS = 20;
/** Averages about ten samples: one long pause is a garbage collection, not an overload. */
const SMOOTHING = 0.2;
/** With fewer requests in flight another program has the CPU, and refusing would not help. */
const FEW_IN_FLIGHT = 16;
/** A request whose body takes longer than this releases its slot while it waits. */
const SLOW_BODY_MS = 100;
/** The memory of a process for such bodies. */
const SLOW_BODY_BYTES = 256 * 2 ** 20;
/** The longest wait in a handler is shorter. */
const LONGEST_WORK_MS = 60_000;
/** The minimum and the initial number of concurrent reads: pages that are read together share a round trip (at most 16 of them). */
const [MIN_READS, FIRST_READS] = [16, 32];
const TARGET_LATE_MS = 5;
/** The longest time for starting reads in one turn of the event loop, so that cache hits are not delayed. */
const TIME_SLICE_MS = 10;
/** A read that waits longer gets the stale response, if there is one. */
const QUEUE_DEADLINE_MS = 1_000;

/**
 * Limits the requests inside the framework to those that can be served within `maxWaitMs` (Little's law), and refuses others with a
 * prebuilt 503 (about 15 µs). Reads also wait in a queue, which runs as many as keep the event loop responsive to cache hits.
 */
export class ConcurrencyLimiter implements OnApplicationBootstrap, OnApplicationShutdown {
  refused = 0;
  eventLoopDelayMs = 0;
  private readonly tracked = new Set<Tracked>();
  private readonly queue = new Set<Tracked>();
  private readonly perConnection = new WeakMap<Socket, number>();
  private readonly receiving: ClientBoundRequests<Tracked>;
  private readonly sending: ClientBoundRequests<Tracked>;
  private runningReads = 0;
  private readLimit: number;
  /** null: no read was started in this turn of the event loop */
  private turnEndsAt: number | null = null;
  private readonly rate: ThroughputMeter;
  private timer: NodeJS.Timeout | undefined;
  private readonly refusal: PrebuiltOverloadResponse;

  constructor(
    private readonly limits: ConcurrencyLimits,
    headers: ResponseHeaders,
  ) {
    this.readLimit = Math.min(FIRST_READS, limits.maxInFlight);
    this.rate = new ThroughputMeter(Math.min(MIN_LIMIT, limits.maxInFlight) * 0.8);
    this.refusal = new PrebuiltOverloadResponse(headers);
    this.receiving = new ClientBoundRequests(Math.min(limits.maxInFlight, SLOW_BODY_BYTES / limits.bodyLimitBytes));
    this.sending = new ClientBoundRequests(limits.maxInFlight);
  }

  get inFlight(): number {
    return this.tracked.size;
  }

  /** Queued reads. */
  get waiting(): number {
    return this.queue.size;
  }

  get concurrencyLimit(): number {
    const { maxInFlight, maxWaitMs } = this.limits;
    return Math.min(maxInFlight, Math.max(MIN_LIMIT, (this.rate.perSecond * maxWaitMs) / 1_000));
  }

  onApplicationBootstrap(): void {
    exportLimiterMetrics(this);
    let last = performance.now();
    this.timer = setInterval(() => {
      const now = performance.now();
      this.sample(now - last);
      last = now;
    }, SAMPLE_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Adapts the limits to the delay of the event loop and to the rate of responses; called every 20 ms. */
  sample(elapsedMs: number): void {
    const lateMs = Math.max(0, elapsedMs - SAMPLE_EVERY_MS);
    this.eventLoopDelayMs += (lateMs - this.eventLoopDelayMs) * SMOOTHING;
    this.rate.sample(elapsedMs, this.inFlight);
    this.releaseDone();
    this.adjustReads(lateMs);
  }

  /** Calls `next`, at once or when a read leaves the queue, or responds with 503 (for a read: the stale response if there is one). */
  handle(request: IncomingMessage, response: ServerResponse, next: () => void, options: RequestOptions): void {
    const { socket, method } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const isExempt = options.isUrgent || isHealthCheck(request.url!);
    const ofConnection = this.perConnection.get(socket) ?? 0;
    if (ofConnection >= MAX_PER_CONNECTION || (!isExempt && this.isOverloaded)) {
      if (isRead && options.serveStaleOnError()) return;
      // an unread body would block the connection
      if (!isRead) request.resume();
      this.refused++;
      return this.refusal.send(request, response);
    }
    if (socket.destroyed) return;
    const since = performance.now();
    const work: Tracked = { ...options, request, response, socket, isRead, next, since, isRunningRead: false };
    this.track(work, ofConnection + 1);
    if (!isRead || isExempt) next();
    else if (this.queue.size === 0 && this.mayBeginRead()) this.begin(work);
    else this.queue.add(work);
  }

  /** Ends the count of a long-lived response, which has bounds of its own. Its headers are sent. */
  exempt(response: ServerResponse): void {
    for (const work of this.tracked) if (work.response === response) return this.release(work);
  }

  private get isOverloaded(): boolean {
    const { maxInFlight, maxEventLoopDelayMs } = this.limits;
    const isLate = this.eventLoopDelayMs > maxEventLoopDelayMs && this.inFlight >= Math.min(FEW_IN_FLIGHT, maxInFlight);
    return isLate || this.inFlight >= this.concurrencyLimit;
  }

  private track(work: Tracked, ofConnection: number): void {
    this.tracked.add(work);
    this.perConnection.set(work.socket, ofConnection);
    this.rate.noteBegin(this.inFlight);
    work.response.once('close', () => {
      work.isClosed = true;
      this.sending.delete(work);
      if (this.receiving.delete(work) && work.request.complete) this.tracked.add(work);
      // without an end the client has disconnected: the work continues, and `releaseDone` sees its end
      if (!work.response.writableEnded) return;
      this.perConnection.set(work.socket, this.perConnection.get(work.socket)! - 1);
      this.release(work);
    });
  }

  private release(work: Tracked): void {
    if (!this.tracked.delete(work)) return;
    if (this.queue.delete(work)) return;
    this.rate.countResponse();
    if (!work.isRunningRead) return;
    this.runningReads--;
    this.beginReads();
  }

  /**
   * A request holds its slot until its work is done, even if its client has disconnected, and no longer: a slow upload or download must
   * not block others. Node emits no event when a response begins, so this polls.
   */
  private releaseDone(): void {
    const now = performance.now();
    for (const work of this.receiving.takeComplete()) this.tracked.add(Object.assign(work, { since: now }));
    for (const clients of [this.receiving, this.sending]) clients.forgetBroken();
    for (const work of this.tracked) {
      const { socket, request, response, since } = work;
      if (socket.destroyed) {
        emitClose(work);
        const isDone = response.writableEnded || response.headersSent || this.queue.has(work);
        if (isDone || since < now - LONGEST_WORK_MS) this.release(work);
      } else if (response.headersSent) {
        this.sending.add(work);
        this.release(work);
      } else if (!work.isRead && !request.complete && since < now - SLOW_BODY_MS) {
        this.receiving.add(work);
        this.tracked.delete(work);
      }
    }
  }

  /** Fewer reads while the event loop is late; more while it is on time, because then reads wait for the database. */
  private adjustReads(lateMs: number): void {
    const { maxInFlight } = this.limits;
    if (lateMs > TARGET_LATE_MS) this.readLimit = Math.max(Math.min(MIN_READS, maxInFlight), this.readLimit * 0.8);
    else if (this.queue.size > 0) this.readLimit = Math.min(maxInFlight, this.readLimit * 1.25);
    this.beginReads();
    const deadline = performance.now() - QUEUE_DEADLINE_MS;
    for (const work of this.queue) {
      if (work.since > deadline) return;
      if (work.serveStaleOnError()) this.queue.delete(work);
    }
  }

  private beginReads(): void {
    for (const work of this.queue) {
      if (!this.mayBeginRead()) return;
      this.queue.delete(work);
      recordWait(work.response, performance.now() - work.since);
      this.begin(work);
    }
  }

  private begin(work: Tracked): void {
    this.runningReads++;
    work.isRunningRead = true;
    work.next();
  }

  private mayBeginRead(): boolean {
    if (this.runningReads >= this.readLimit) return false;
    const now = performance.now();
    if (this.turnEndsAt !== null) return now < this.turnEndsAt;
    this.turnEndsAt = now + TIME_SLICE_MS;
    setImmediate(() => {
      this.turnEndsAt = null;
      this.beginReads();
    });
    return true;
  }
}
