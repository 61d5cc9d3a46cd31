import { Global, Module } from '@nestjs/common';
import { RateLimiter } from './rate-limiter.js';

/** Limits requests per client and window. A hook counts every request, and features charge for expensive reads. */
@Global()
@Module({ providers: [RateLimiter], exports: [RateLimiter] })
export class RateLimitModule {}
