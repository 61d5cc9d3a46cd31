import { Global, Module } from '@nestjs/common';
import { RedisModule } from '../redis/redis.module.js';
import { RateLimiter } from './rate-limiter.js';

/** Limits requests per client and window. A hook counts every request, and features charge for expensive reads. */
@Global()
@Module({ imports: [RedisModule], providers: [RateLimiter], exports: [RateLimiter] })
export class RateLimitModule {}
