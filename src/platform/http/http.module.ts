import { Global, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { CursorCodec } from '../../common/cursor.js';
import { AppConfig } from '../../config/app-config.js';
import { AdmissionControl } from './admission.js';
import { AccessTokenService } from '../access/access-token.service.js';
import { AccessGuard } from '../access/access.guard.js';
import { ConnectionGuard } from './connection-guard.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { QueryGuard } from './validation/query.guard.js';
import { ResponseHeaders } from './response-headers.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { createValidationPipe } from './validation/validation.pipe.js';

/**
 * What every route stands on: the access guard, the validation pipe, the problem filter, the list helpers.
 * Owns no route; every feature uses it, and it knows none of them.
 */
@Global()
@Module({
  providers: [
    AccessTokenService,
    RateLimiter,
    ResponseHeaders,
    {
      provide: AdmissionControl,
      useFactory: (config: AppConfig) => new AdmissionControl(config.http),
      inject: [AppConfig],
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
    { provide: APP_PIPE, useFactory: createValidationPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [AccessTokenService, AdmissionControl, ConnectionGuard, CursorCodec, RateLimiter, ResponseHeaders],
})
export class HttpModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(private readonly admission: AdmissionControl) {}

  onApplicationBootstrap(): void {
    this.admission.start();
  }

  onApplicationShutdown(): void {
    this.admission.stop();
  }
}
