// One connection to Redis per process, where REDIS_URL is set: for what several hosts share and can do without.
// Rooms ask it through RedisService and say themselves what they do while it is away.
import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { RedisService } from './redis.service.js';

@Global()
@Module({
  providers: [
    {
      provide: RedisService,
      // hosts of other databases may share the server
      useFactory: ({ redis, mongo }: AppConfig) =>
        RedisService.open({ url: redis.url, keyPrefix: `${mongo.database}:` }),
      inject: [AppConfig],
    },
  ],
  exports: [RedisService],
})
export class RedisModule {}
