import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import { AppConfig } from '../../../config/app-config.js';
import { ENV_SCHEMA } from '../../../config/env.schema.js';
import { ResponseHeaders } from '../response-headers.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

const HEADERS = new ResponseHeaders(new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40) })));
const LIMITS = { maxInFlight: 100, maxWaitMs: 60_000, maxEventLoopDelayMs: 60_000, bodyLimitBytes: 1_000_000 };

describe('an idle limiter', () => {
  let limiter: ConcurrencyLimiter;
  let samples: jest.SpiedFunction<ConcurrencyLimiter['sample']>;

  beforeEach(() => {
    jest.useFakeTimers();
    limiter = new ConcurrencyLimiter(LIMITS, HEADERS);
    samples = jest.spyOn(limiter, 'sample');
    limiter.onApplicationBootstrap();
  });
  afterEach(() => {
    limiter.onApplicationShutdown();
    jest.useRealTimers();
  });

  /** Counts the samples of a time. */
  const samplesIn = (ms: number): number => {
    samples.mockClear();
    jest.advanceTimersByTime(ms);
    return samples.mock.calls.length;
  };
  const begin = (): ServerResponse => {
    const response = Object.assign(new EventEmitter(), { writableEnded: false }) as ServerResponse;
    const request = { method: 'POST', url: '/', socket: { destroyed: false }, complete: true } as IncomingMessage;
    limiter.handle(request, response, () => {}, { bypassesLimit: false, serveStaleOnError: () => false });
    return response;
  };
  const end = (response: ServerResponse): void => {
    Object.assign(response, { writableEnded: true });
    response.emit('close');
  };

  it('wakes up once a second', () => {
    expect(samplesIn(60_000)).toBe(60);
    expect(limiter.eventLoopDelayMs).toBe(0);
  });

  it('samples every 20 ms from the first request until shortly after the last', () => {
    const responses = [begin(), begin()];
    expect(samplesIn(1_000)).toBe(50);

    responses.forEach(end);
    expect(samplesIn(200)).toBe(10);
    expect(samplesIn(60_000)).toBe(60);

    end(begin());
    expect(samplesIn(200)).toBe(10);
  });

  it('does not sample after its shutdown', () => {
    limiter.onApplicationShutdown();
    begin();
    expect(samplesIn(60_000)).toBe(0);
  });
});
