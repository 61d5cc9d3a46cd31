// One connection to Redis per process, if REDIS_URL is set, for data that hosts share and can work without.
// Modules call Redis through RedisService, and define their own fallback.
import { Module } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { RedisService } from './redis.service.js';

@Module({
  providers: [
    {
      provide: RedisService,
      // Hosts of other databases may share the Redis server.
      useFactory: ({ redis, mongo }: AppConfig) =>
        RedisService.open({ url: redis.url, keyPrefix: `${mongo.database}:` }),
      inject: [AppConfig],
    },
  ],
  exports: [RedisService],
})
export class RedisModule {}
