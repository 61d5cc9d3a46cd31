import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { CursorCodec } from '../../common/cursor.js';
import { AppConfig } from '../../config/app-config.js';
import { AccessTokenService } from '../access/access-token.service.js';
import { ApiTokenVerifier } from '../access/api-token-verifier.js';
import { EmailVerification } from '../access/verified-email.js';
import { ResponseWriter } from './response-writer.js';
import { Paginator } from './pagination/paginator.js';
import { AccessGuard } from '../access/access.guard.js';
import { ConcurrencyLimiter } from './load-shedding/concurrency-limiter.js';
import { ErrorPages } from './problems/error-pages.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { QueryGuard } from './validation/query.guard.js';
import { ResponseHeaders } from './response-headers.js';
import { SseStreams } from './sse/sse-streams.js';
import { DtoPipe } from './validation/validation.pipe.js';

/** The base of all routes: access guard, validation pipe, problem filter and pagination. Has no routes. */
@Global()
@Module({
  providers: [
    AccessTokenService,
    ApiTokenVerifier,
    EmailVerification,
    ResponseHeaders,
    ResponseWriter,
    SseStreams,
    Paginator,
    ErrorPages,
    {
      provide: ConcurrencyLimiter,
      useFactory: (config: AppConfig, headers: ResponseHeaders) => new ConcurrencyLimiter(config.http, headers),
      inject: [AppConfig, ResponseHeaders],
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
  exports: [
    AccessTokenService,
    ApiTokenVerifier,
    EmailVerification,
    ResponseWriter,
    ConcurrencyLimiter,
    CursorCodec,
    ErrorPages,
    Paginator,
    ResponseHeaders,
    SseStreams,
  ],
})
export class HttpModule {}
