// One connection to Redis per process, if REDIS_URL is set: for data that hosts share, and that each can work without.
// Features call it through RedisService, and define themselves what they do while it is down.
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
