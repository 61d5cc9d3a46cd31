import { Global, Module } from '@nestjs/common';
import { RateLimiter } from './rate-limiter.js';

/** Requests per client and window. The hook on every request counts them, and features charge for expensive reads. */
@Global()
@Module({ providers: [RateLimiter], exports: [RateLimiter] })
export class RateLimitModule {}
