import { Global, Module } from '@nestjs/common';
import { RateLimiter } from './rate-limiter.js';

/** Requests per client and window; the hook on every request asks it, and features charge it for dear reads. */
@Global()
@Module({ providers: [RateLimiter], exports: [RateLimiter] })
export class RateLimitModule {}
