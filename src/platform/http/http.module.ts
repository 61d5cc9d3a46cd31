import { Global, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { CursorCodec } from '../../common/cursor.js';
import { AppConfig } from '../../config/app-config.js';
import { AccessTokenService } from '../access/access-token.service.js';
import { AnswerWriter } from './answer-writer.js';
import { AccessGuard } from '../access/access.guard.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { ConnectionGuard } from './connection-guard.js';
import { exportLimiterMetrics } from './http-metrics.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { QueryGuard } from './validation/query.guard.js';
import { ResponseHeaders } from './response-headers.js';
import { DtoPipe } from './validation/validation.pipe.js';

/**
 * What every route stands on: the access guard, the validation pipe, the problem filter, the list helpers.
 * Owns no route; every feature uses it, and it knows none of them.
 */
@Global()
@Module({
  providers: [
    AccessTokenService,
    ResponseHeaders,
    AnswerWriter,
    {
      provide: ConcurrencyLimiter,
      useFactory: (config: AppConfig, headers: ResponseHeaders) => new ConcurrencyLimiter(config.http, headers),
      inject: [AppConfig, ResponseHeaders],
    },
    {
      provide: ConnectionGuard,
      useFactory: (config: AppConfig) => new ConnectionGuard(config.http),
      inject: [AppConfig],
    },
    {
      provide: CursorCodec,
      useFactory: (config: AppConfig) =>
        new CursorCodec(...config.auth.tokenSecrets.map((secret) => `cursor:${secret}`)),
      inject: [AppConfig],
    },
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_GUARD, useClass: QueryGuard },
    { provide: APP_PIPE, useClass: DtoPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [AccessTokenService, AnswerWriter, ConcurrencyLimiter, ConnectionGuard, CursorCodec, ResponseHeaders],
})
export class HttpModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly limiter: ConcurrencyLimiter) {}

  onApplicationBootstrap(): void {
    exportLimiterMetrics(this.limiter);
    this.limiter.start();
  }

  onApplicationShutdown(): void {
    this.limiter.stop();
  }
}
