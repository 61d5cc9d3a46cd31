import { Module } from '@nestjs/common';
import { RedisModule } from '../redis/redis.module.js';
import { RateLimiter } from './rate-limiter.js';

/** Requests per client and window. The hook on every request counts them, and features charge for expensive reads. */
@Module({ imports: [RedisModule], providers: [RateLimiter], exports: [RateLimiter] })
export class RateLimitModule {}
