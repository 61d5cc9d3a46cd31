import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { problemOf, PROBLEM_CONTENT_TYPE } from './problems/problem.js';
import { ReadQueue } from './read-queue.js';
import { isHealthCheck } from './request-identity.js';
import { SECURITY_HEADERS } from './security-headers.js';

export type AdmissionOptions = {
  /** requests inside the framework at the same time; one more is refused */
  maxInFlight: number;
  /** what a request may expect to wait for its answer: no more are let in than are answered in this time */
  maxWaitMs: number;
  /** delay of the event loop above which work that needs the framework is refused */
  maxEventLoopDelayMs: number;
};

const SECURITY_HEADER_LIST = Object.entries(SECURITY_HEADERS).flat();
/** Requests of one connection inside the framework; pipelined ones beyond would let a few clients that read nothing hold every place. */
const MAX_PER_CONNECTION = 16;
const SAMPLE_EVERY_MS = 20;
/** One long pause is a garbage collection, not an overload: delays are averaged over about ten samples. */
const SMOOTHING = 0.2;
/** Always let in at the same time: so few cost no memory, and a pause of the database must not turn everybody away. */
const MIN_PLACES = 100;
/** Answers are counted over this long, and only while there is enough under way to tell what the server is able to do. */
const RATE_WINDOW_MS = 250;
/** A process that has just begun may be so slow with its first answers; no answer for longer is an answer, too. */
const FIRST_ANSWERS_MS = 1_000;
/** Who asks again so soon after a refusal, on the same connection, is answered as much later when refused again. */
const IMPATIENT_MS = 50;
/** Every wait in a handler is bounded; what is not done after this will never say so. */
const LONGEST_WORK_MS = 60_000;
/** With fewer requests under way it is another program that has the CPU, and refusing would not bring it back. */
const FEW_IN_FLIGHT = 16;

/**
 * Refuses before breaking. Stands on the raw listener behind the door: hits of the response cache never come here, health answers
 * always pass, and work that needs the framework is refused with a ready 503 (about 15 µs) when more of it is under way than is
 * answered within `maxWaitMs` (Little's law, with the rate the process reached when it last had plenty to do), or when the event
 * loop is late. What was let in keeps its latency, and who is refused knows at once; but who asks again at once, against `Retry-After`,
 * waits for the next refusal, because a few hundred connections that do so would take the CPU that was to serve them. Reads that were let in take turns (`ReadQueue`).
 * A read that is refused, or waits too long for its turn, gets the last answer of the cache instead, where there is one.
 */
export class AdmissionControl {
  readonly counts = { refused: 0 };
  private inFlight = 0;
  /** what a connection has under way: node tells nothing of the responses whose turn had not come when it broke */
  private readonly held = new WeakMap<Socket, Set<ServerResponse>>();
  private readonly refusedAt = new WeakMap<Socket, number>();
  private delayMs = 0;
  private answered = 0;
  /** most under way since the last sample */
  private peak = 0;
  private sampled = { at: 0, answered: 0 };
  /** of samples with plenty under way alone */
  private window = { ms: 0, answered: 0 };
  /** answers per second while busy; unknown until it was */
  private capacityPerSecond = Infinity;
  private timer: NodeJS.Timeout | undefined;
  private readonly reads: ReadQueue;
  private readonly body: Buffer;
  private readonly refusal: string[];

  constructor(private readonly options: AdmissionOptions) {
    this.reads = new ReadQueue(options.maxInFlight);
    const detail = 'The server has as much work as it can do well; send the request again in a moment.';
    this.body = Buffer.from(JSON.stringify(problemOf('overloaded', detail, '/', 'refused')));
    this.refusal = [
      ...['content-type', PROBLEM_CONTENT_TYPE, 'content-length', String(this.body.length)],
      ...['retry-after', '1', 'cache-control', 'no-store', 'access-control-allow-origin', '*'],
      ...SECURITY_HEADER_LIST,
    ];
  }

  get requestsInFlight(): number {
    return this.inFlight;
  }

  /** Of these, reads that nothing was begun for yet. */
  get readsWaiting(): number {
    return this.reads.waiting;
  }

  get eventLoopDelayMs(): number {
    return this.delayMs;
  }

  /** Requests that may be under way now. */
  get places(): number {
    const { maxInFlight, maxWaitMs } = this.options;
    return Math.min(maxInFlight, Math.max(MIN_PLACES, (this.capacityPerSecond * maxWaitMs) / 1_000));
  }

  /** Starts watching the event loop and the rate of answers. */
  start(): void {
    let last = performance.now();
    this.sampled = { at: last, answered: this.answered };
    this.timer = setInterval(() => {
      const now = performance.now();
      const late = Math.max(0, now - last - SAMPLE_EVERY_MS);
      this.delayMs += (late - this.delayMs) * SMOOTHING;
      last = now;
      this.reads.adjust(late);
      this.measureCapacity(now);
    }, SAMPLE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /**
   * Calls `go`, at once or in a moment, and counts the request until its answer is through; or refuses it with an answer of its own.
   * @param isUrgent let in whatever is under way, like health answers
   * @param bridge answers a read that nothing was begun for without any work; false when it cannot
   */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    go: () => void,
    isUrgent = false,
    bridge: () => boolean = () => false,
  ): void {
    const isAlways = isUrgent || isHealthCheck(request.url!);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const { socket } = request;
    const own = this.held.get(socket) ?? this.meet(socket);
    const { maxInFlight, maxEventLoopDelayMs } = this.options;
    const isLate = this.delayMs > maxEventLoopDelayMs && this.inFlight >= Math.min(FEW_IN_FLIGHT, maxInFlight);
    const isBusy = this.inFlight >= this.places || isLate;
    if (own.size >= MAX_PER_CONNECTION || (isBusy && !isAlways)) {
      if (isRead && bridge()) return;
      // a body that nobody will read must not hold the connection
      if (!isRead) request.resume();
      return this.refuse(request, response);
    }
    if (socket.destroyed) return;
    this.inFlight++;
    this.peak = Math.max(this.peak, this.inFlight);
    own.add(response);
    response.once('close', () => this.leave(own, response));
    if (isRead && !isAlways) this.reads.enter(response, go, bridge);
    else go();
  }

  private refuse({ method, socket }: IncomingMessage, response: ServerResponse): void {
    this.counts.refused++;
    const answer = (): void => {
      this.refusedAt.set(socket, performance.now());
      response.writeHead(503, this.refusal);
      response.end(method === 'HEAD' ? undefined : this.body);
    };
    if (performance.now() - (this.refusedAt.get(socket) ?? -Infinity) < IMPATIENT_MS) setTimeout(answer, IMPATIENT_MS);
    else answer();
  }

  private measureCapacity(now: number): void {
    const { at, answered } = this.sampled;
    this.sampled = { at: now, answered: this.answered };
    // the most that was under way: writes that share a commit are answered together, and for a moment hardly any is left
    const isPlenty = this.peak >= Math.min(MIN_PLACES, this.options.maxInFlight) * 0.8;
    this.peak = this.inFlight;
    // with little to do the rate says what was asked for, not what could be done
    if (!isPlenty) return;
    this.window.ms += now - at;
    this.window.answered += this.answered - answered;
    const known = this.capacityPerSecond;
    const isFirst = !Number.isFinite(known);
    if (this.window.ms < (isFirst && this.window.answered === 0 ? FIRST_ANSWERS_MS : RATE_WINDOW_MS)) return;
    const perSecond = (this.window.answered * 1_000) / this.window.ms;
    this.capacityPerSecond = isFirst ? perSecond : known + (perSecond - known) * 0.3;
    this.window = { ms: 0, answered: 0 };
  }

  private meet(socket: Socket): Set<ServerResponse> {
    const own = new Set<ServerResponse>();
    this.held.set(socket, own);
    socket.once('close', () => {
      for (const response of own) this.leave(own, response);
    });
    return own;
  }

  /**
   * Gives a place back when the work is done, which is not when the client goes away: clients that give up and ask again would
   * otherwise pile up work that nobody waits for, until no answer is in time.
   */
  private leave(own: Set<ServerResponse>, response: ServerResponse): void {
    if (!own.delete(response)) return;
    if (this.reads.drop(response)) {
      this.inFlight--;
      return;
    }
    if (response.writableEnded) return this.release(response);
    let isDone = false;
    const done = (): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      this.release(response);
    };
    const timer = setTimeout(done, LONGEST_WORK_MS).unref();
    const end = response.end.bind(response) as (...parameters: unknown[]) => ServerResponse;
    response.end = ((...parameters: unknown[]) => {
      done();
      return end(...parameters);
    }) as ServerResponse['end'];
  }

  private release(response: ServerResponse): void {
    this.inFlight--;
    this.answered++;
    this.reads.done(response);
  }
}
