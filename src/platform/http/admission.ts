import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { problemOf, PROBLEM_CONTENT_TYPE } from './problem.js';
import { SECURITY_HEADERS } from './security-headers.js';

export type AdmissionOptions = {
  /** requests inside the framework at the same time; one more is refused */
  maxInFlight: number;
  /** delay of the event loop above which work that needs the framework is refused */
  maxEventLoopDelayMs: number;
};

/** Always let in: whoever asks how we are must be told, above all when we are busy. */
const ALWAYS = /^\/(health\/|metrics(\?|$))/;
const SECURITY_HEADER_LIST = Object.entries(SECURITY_HEADERS).flat();
/** Requests of one connection inside the framework; pipelined ones beyond would let a few clients that read nothing hold every place. */
const MAX_PER_CONNECTION = 16;
const SAMPLE_EVERY_MS = 20;
/** One long pause is a garbage collection, not an overload: delays are averaged over about ten samples. */
const SMOOTHING = 0.2;
/** With fewer requests under way it is another program that has the CPU, and refusing would not bring it back. */
const FEW_IN_FLIGHT = 16;

/**
 * Refuses before breaking. Stands on the raw listener behind the door: hits of the response cache never come here, health answers
 * always pass, and work that needs the framework is refused with a ready 503 (about 15 µs) when too much of it is under way or
 * the event loop is late. What was let in keeps its latency, so goodput stays near capacity however much more is asked for.
 */
export class AdmissionControl {
  readonly counts = { refused: 0 };
  private inFlight = 0;
  /** places that a connection holds: node tells nothing of the responses whose turn had not come when it broke */
  private readonly held = new WeakMap<Socket, { places: number }>();
  private delayMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly body: Buffer;

  constructor(private readonly options: AdmissionOptions) {
    const detail = 'The server has as much work as it can do well; send the request again in a moment.';
    this.body = Buffer.from(JSON.stringify(problemOf('overloaded', detail, '/', 'refused')));
  }

  get requestsInFlight(): number {
    return this.inFlight;
  }

  get eventLoopDelayMs(): number {
    return this.delayMs;
  }

  /** Starts watching the event loop. */
  start(): void {
    let last = performance.now();
    this.timer = setInterval(() => {
      const now = performance.now();
      const late = Math.max(0, now - last - SAMPLE_EVERY_MS);
      this.delayMs += (late - this.delayMs) * SMOOTHING;
      last = now;
    }, SAMPLE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** True when the request was refused and answered here; otherwise it is counted until its answer is through. */
  refuse(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const own = this.held.get(socket) ?? this.meet(socket);
    const { maxInFlight, maxEventLoopDelayMs } = this.options;
    const isLate = this.delayMs > maxEventLoopDelayMs && this.inFlight >= Math.min(FEW_IN_FLIGHT, maxInFlight);
    const isBusy = this.inFlight >= maxInFlight || own.places >= MAX_PER_CONNECTION || isLate;
    if (isBusy && !ALWAYS.test(request.url!)) {
      this.counts.refused++;
      // a body that nobody will read must not hold the connection
      if (request.method !== 'GET' && request.method !== 'HEAD') request.resume();
      response.writeHead(503, [
        'content-type',
        PROBLEM_CONTENT_TYPE,
        'content-length',
        String(this.body.length),
        'retry-after',
        '1',
        'cache-control',
        'no-store',
        ...SECURITY_HEADER_LIST,
        'access-control-allow-origin',
        '*',
      ]);
      response.end(request.method === 'HEAD' ? undefined : this.body);
      return true;
    }
    if (socket.destroyed) return false;
    this.inFlight++;
    own.places++;
    response.once('close', () => {
      if (own.places === 0) return;
      own.places--;
      this.inFlight--;
    });
    return false;
  }

  private meet(socket: Socket): { places: number } {
    const own = { places: 0 };
    this.held.set(socket, own);
    socket.once('close', () => {
      this.inFlight -= own.places;
      own.places = 0;
    });
    return own;
  }
}
