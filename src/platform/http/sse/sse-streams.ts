import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CodedError } from '../../../common/errors.js';
import { AccessTokenService } from '../../access/access-token.service.js';
import type { Viewer } from '../../access/viewer.js';
import { exportGauge } from '../../prometheus/metric.js';
import { ConcurrencyLimiter } from '../load-shedding/concurrency-limiter.js';
import { ResponseHeaders } from '../response-headers.js';
import { SseStream } from './sse-stream.js';

const MAX_STREAMS = 5_000;
const MAX_OF_ACCOUNT = 3;
/** longer than other retries, because the stream that returns replaces another one of the account */
const REPLACED_RETRY_MS = 10_000;
const MAX_AGE_MS = 15 * 60_000;
/** Below 30 s, after which common proxies close idle connections. */
const COMMENT_EVERY_MS = 20_000;
const SWEEP_EVERY_MS = 1_000;
/** Limits comments per sweep, so that streams opened at the same time do not block the event loop. */
const COMMENTS_PER_SWEEP = 500;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Makes nginx forward events without buffering.
  'x-accel-buffering': 'no',
};

/**
 * The open event streams of this process, which have their own limits and use no slot of the concurrency limiter.
 * A stream ends with its session or account, after 15 minutes, and when the process is replaced.
 */
@Injectable()
export class SseStreams implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly streams = new Set<SseStream>();
  /** each oldest first */
  private readonly perAccount = new Map<string, Set<SseStream>>();
  private readonly maxAgeMs: number;
  private isDraining = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly tokens: AccessTokenService,
    private readonly headers: ResponseHeaders,
    private readonly limiter: ConcurrencyLimiter,
  ) {
    // AccessTokenService stores revoked sessions for twice the token lifetime, so streams must be shorter.
    this.maxAgeMs = Math.min(MAX_AGE_MS, tokens.ttlSeconds * 1_000);
  }

  onApplicationBootstrap(): void {
    exportGauge({
      name: 'opencanvas_event_streams_open',
      help: 'Open streams of server-sent events',
      read: () => this.streams.size,
    });
    this.timer = setInterval(() => this.sweep(performance.now()), SWEEP_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Opens a stream in place of the oldest one above the account's limit: a browser does not reconnect after an error status. The stream is
   * already closed for HEAD requests, and while the process drains.
   * @throws CodedError `overloaded`
   */
  open(reply: FastifyReply, viewer: Viewer): SseStream {
    const { request, raw } = reply;
    const [oldest, ...others] = this.perAccount.get(viewer.id) ?? [];
    if (oldest !== undefined && others.length + 1 >= MAX_OF_ACCOUNT) {
      oldest.end(REPLACED_RETRY_MS);
      this.remove(oldest);
    }
    if (this.streams.size >= MAX_STREAMS)
      throw new CodedError('overloaded', 'Too many streams are open.', { retryAfterSeconds: 5 });
    raw.shouldKeepAlive = false;
    raw.writeHead(200, this.headers.listFor(request, reply, { ...HEADERS }));
    // Without this, Node keeps the head as a chain of small strings, 2.6 kB, while the stream is open.
    raw.flushHeaders();
    reply.hijack();
    this.limiter.releaseSlot(raw);
    const stream = new SseStream(raw, viewer);
    stream.sendComment();
    this.streams.add(stream);
    this.perAccount.set(viewer.id, (this.perAccount.get(viewer.id) ?? new Set()).add(stream));
    raw.once('close', () => this.remove(stream));
    if (this.isDraining || request.method === 'HEAD') stream.end();
    return stream;
  }

  /** Ends all streams. Streams opened later end immediately. */
  drain(): void {
    this.isDraining = true;
    for (const stream of this.streams) stream.end();
  }

  /** Ends expired streams and sends comments. @param now of `performance.now()` */
  sweep(now: number): void {
    let comments = 0;
    for (const stream of this.streams) {
      if (!stream.isOpen) this.remove(stream);
      else if (now - stream.openedAt >= this.maxAgeMs || this.tokens.isRevoked(stream.viewer)) stream.end();
      else if (now - stream.writtenAt >= COMMENT_EVERY_MS && comments++ < COMMENTS_PER_SWEEP) {
        stream.sendComment();
        stream.onQuiet?.(now);
      }
    }
  }

  private remove(stream: SseStream): void {
    if (!this.streams.delete(stream)) return;
    const { id } = stream.viewer;
    const ofAccount = this.perAccount.get(id);
    ofAccount?.delete(stream);
    if (ofAccount?.size === 0) this.perAccount.delete(id);
    stream.onClose?.();
  }
}
