import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { AppConfig } from '../../../config/app-config.js';
import { ThroughputMeter } from './throughput-meter.js';
import { exportLimiterMetrics } from './limiter-metrics.js';
import { isHealthCheck } from '../request-identity.js';
import { PrebuiltOverloadResponse } from './prebuilt-overload-response.js';
import { recordLayer, type ResponseHeaders } from '../response-headers.js';
import { ClientBoundRequests, emitClose, type WaitsForClient } from './client-bound-requests.js';

export type ConcurrencyLimits = Pick<
  AppConfig['http'],
  'maxInFlight' | 'maxWaitMs' | 'maxEventLoopDelayMs' | 'bodyLimitBytes'
>;

export type RequestOptions = {
  /** whether the request is always admitted, like a health check */
  bypassesLimit: boolean;
  /** Sends the stale response of a read from the cache. Returns false if the cache has none. */
  serveStaleOnError: () => boolean;
};

type Tracked = RequestOptions &
  WaitsForClient & {
    isRead: boolean;
    next: () => void;
    since: number;
    /** whether the read counts against `readLimit` */
    isRunningRead: boolean;
  };

/** Maximum pipelined requests per connection. Without a limit, a few clients that do not read could occupy all slots. */
const MAX_PER_CONNECTION = 16;
/** The limiter always admits this many requests, which cost little memory. Otherwise a short database pause would reject every client. */
const MIN_LIMIT = 100;
const SAMPLE_EVERY_MS = 20;
/** An idle process only measures for the metric. 50 wakeups a second took 3 ms of CPU. */
const IDLE_SAMPLE_EVERY_MS = 1_000;
/** Samples without a request in flight until a process counts as idle. */
const IDLE_SAMPLES = 10;
/** Averages about ten samples, because a single long pause may be a garbage collection instead of overload. */
const SMOOTHING = 0.2;
/** With fewer requests in flight, another program uses the CPU, and rejecting requests would not help. */
const FEW_IN_FLIGHT = 16;
/** A request whose body takes longer to arrive releases its slot until the body is complete. */
const SLOW_BODY_MS = 100;
/** The memory limit for incomplete bodies, per process. */
const SLOW_BODY_BYTES = 256 * 2 ** 20;
/** An upper bound of the time that a handler takes. */
const MAX_HANDLER_MS = 60_000;
/** The minimum and initial number of concurrent reads. At least 16, because up to 16 pages share a database round trip. */
const [MIN_READS, FIRST_READS] = [16, 32];
const TARGET_LATE_MS = 5;
/** The maximum time for starting reads in one event loop iteration, so that cache hits are not delayed. */
const TIME_SLICE_MS = 10;
/** After this time in the queue, a read gets the stale response if there is one. */
const QUEUE_DEADLINE_MS = 1_000;

/**
 * Limits requests in the framework to the number served within `maxWaitMs` (Little's law), and rejects others with a prebuilt 503, which
 * costs about 15 µs. Queues reads, and runs only as many as let the event loop serve cache hits in time.
 */
export class ConcurrencyLimiter implements OnApplicationBootstrap, OnApplicationShutdown {
  shed = 0;
  eventLoopDelayMs = 0;
  private readonly tracked = new Set<Tracked>();
  private readonly queue = new Set<Tracked>();
  private readonly perConnection = new WeakMap<Socket, number>();
  private readonly receiving: ClientBoundRequests<Tracked>;
  private readonly sending: ClientBoundRequests<Tracked>;
  private runningReads = 0;
  private readLimit: number;
  /** the end of the current time slice; null if no read was started in this event loop iteration */
  private sliceEndsAt: number | null = null;
  private readonly rate: ThroughputMeter;
  private timer: NodeJS.Timeout | undefined;
  private sampleEveryMs = IDLE_SAMPLE_EVERY_MS;
  private sampledAt = 0;
  private idleSamples = 0;
  private readonly overloadResponse: PrebuiltOverloadResponse;

  constructor(
    private readonly limits: ConcurrencyLimits,
    headers: ResponseHeaders,
  ) {
    this.readLimit = Math.min(FIRST_READS, limits.maxInFlight);
    this.rate = new ThroughputMeter(Math.min(MIN_LIMIT, limits.maxInFlight) * 0.8);
    this.overloadResponse = new PrebuiltOverloadResponse(headers);
    this.receiving = new ClientBoundRequests(Math.min(limits.maxInFlight, SLOW_BODY_BYTES / limits.bodyLimitBytes));
    this.sending = new ClientBoundRequests(limits.maxInFlight);
  }

  get inFlight(): number {
    return this.tracked.size;
  }

  /** The number of queued reads. */
  get waiting(): number {
    return this.queue.size;
  }

  get concurrencyLimit(): number {
    const { maxInFlight, maxWaitMs } = this.limits;
    return Math.min(maxInFlight, Math.max(MIN_LIMIT, (this.rate.perSecond * maxWaitMs) / 1_000));
  }

  onApplicationBootstrap(): void {
    exportLimiterMetrics(this);
    this.startSampling(IDLE_SAMPLE_EVERY_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Adapts the limits to the event loop delay and the throughput. Called every 20 ms while requests are in flight. */
  sample(elapsedMs: number, everyMs = SAMPLE_EVERY_MS): void {
    const lateMs = Math.max(0, elapsedMs - everyMs);
    this.eventLoopDelayMs += (lateMs - this.eventLoopDelayMs) * SMOOTHING;
    this.rate.sample(elapsedMs, this.inFlight);
    this.releaseDone();
    this.adjustReads(lateMs);
  }

  /** Calls `next`, immediately or when the queue reaches the read. Under overload sends a 503, or the stale response of a read. */
  handle(request: IncomingMessage, response: ServerResponse, next: () => void, options: RequestOptions): void {
    const { socket, method } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const isExempt = options.bypassesLimit || isHealthCheck(request.url!);
    const ofConnection = this.perConnection.get(socket) ?? 0;
    if (ofConnection >= MAX_PER_CONNECTION || (!isExempt && this.isOverloaded)) {
      if (isRead && options.serveStaleOnError()) return;
      // An unread body would block the connection.
      if (!isRead) request.resume();
      this.shed++;
      return this.overloadResponse.send(request, response);
    }
    if (socket.destroyed) return;
    const since = performance.now();
    const work: Tracked = { ...options, request, response, socket, isRead, next, since, isRunningRead: false };
    this.track(work, ofConnection + 1);
    if (!isRead || isExempt) next();
    else if (this.queue.size === 0 && this.mayBeginRead()) this.begin(work);
    else this.queue.add(work);
  }

  /** Releases the slot of a long-lived response, which has its own limits. Call this method after sending the headers. */
  releaseSlot(response: ServerResponse): void {
    for (const work of this.tracked) if (work.response === response) return this.release(work);
  }

  private startSampling(everyMs: number): void {
    clearInterval(this.timer);
    this.sampleEveryMs = everyMs;
    this.idleSamples = 0;
    this.sampledAt = performance.now();
    this.timer = setInterval(() => this.takeSample(), everyMs).unref();
  }

  private takeSample(): void {
    const now = performance.now();
    this.sample(now - this.sampledAt, this.sampleEveryMs);
    this.sampledAt = now;
    if (this.sampleEveryMs === IDLE_SAMPLE_EVERY_MS) return;
    const isIdle = this.inFlight + this.receiving.size + this.sending.size === 0;
    this.idleSamples = isIdle ? this.idleSamples + 1 : 0;
    if (this.idleSamples === IDLE_SAMPLES) this.startSampling(IDLE_SAMPLE_EVERY_MS);
  }

  private get isOverloaded(): boolean {
    const { maxInFlight, maxEventLoopDelayMs } = this.limits;
    const isLate = this.eventLoopDelayMs > maxEventLoopDelayMs && this.inFlight >= Math.min(FEW_IN_FLIGHT, maxInFlight);
    return isLate || this.inFlight >= this.concurrencyLimit;
  }

  private track(work: Tracked, ofConnection: number): void {
    if (this.timer !== undefined && this.sampleEveryMs !== SAMPLE_EVERY_MS) this.startSampling(SAMPLE_EVERY_MS);
    this.tracked.add(work);
    this.perConnection.set(work.socket, ofConnection);
    this.rate.noteBegin(this.inFlight);
    work.response.once('close', () => {
      work.isClosed = true;
      this.sending.delete(work);
      if (this.receiving.delete(work) && work.request.complete) this.tracked.add(work);
      // The client has disconnected but the handler still runs, so `releaseDone` releases the slot later.
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
   * Releases the slots of completed work, slow uploads and slow downloads, but not of running work whose client has disconnected.
   * Polls, because Node emits no event when a response begins.
   */
  private releaseDone(): void {
    const now = performance.now();
    for (const work of this.receiving.removeComplete()) this.tracked.add(Object.assign(work, { since: now }));
    for (const clients of [this.receiving, this.sending]) clients.removeBroken();
    for (const work of this.tracked) {
      const { socket, request, response, since } = work;
      if (socket.destroyed) {
        emitClose(work);
        const isDone = response.writableEnded || response.headersSent || this.queue.has(work);
        if (isDone || since < now - MAX_HANDLER_MS) this.release(work);
      } else if (response.headersSent) {
        this.sending.add(work);
        this.release(work);
      } else if (!work.isRead && !request.complete && since < now - SLOW_BODY_MS) {
        this.receiving.add(work);
        this.tracked.delete(work);
      }
    }
  }

  /** Reduces concurrent reads while the event loop is late. Adds reads while the loop is on time, when reads wait for the database. */
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
      recordLayer(work.response, 'queue', performance.now() - work.since);
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
    if (this.sliceEndsAt !== null) return now < this.sliceEndsAt;
    this.sliceEndsAt = now + TIME_SLICE_MS;
    setImmediate(() => {
      this.sliceEndsAt = null;
      this.beginReads();
    });
    return true;
  }
}
