import { applyDecorators, type CallHandler, type ExecutionContext, Header, Injectable } from '@nestjs/common';
import { type NestInterceptor, UseInterceptors } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { IsOptionalNotNull } from '../platform/http/validation/text-rules.js';
import type { SignedInDto } from './account.dto.js';

/** The field of a request that wants the refresh token in a cookie. */
export function IsCookieWanted(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      default: false,
      description:
        'for pages of this server: the refresh token is in a cookie that scripts cannot read, not in the body',
      example: false,
    }),
    IsOptionalNotNull(),
    IsBoolean(),
  );
}

/** A route that returns tokens, or ends their session. With `cookie` in its body, the refresh token is in a cookie. */
export function UsesRefreshCookie(): MethodDecorator {
  return applyDecorators(
    UseInterceptors(RefreshCookieInterceptor),
    Header('Cache-Control', 'no-store'),
    ApiProblems('foreign_origin'),
  );
}

/** The cookie with the refresh token of a page of this server. Only the routes below its path receive it. */
@Injectable()
export class RefreshCookie {
  private readonly origin: string;
  private readonly maxAgeSeconds: number;
  private readonly isSecure: boolean;
  private readonly name: string;

  constructor({ auth, site }: AppConfig) {
    this.origin = site.api;
    this.maxAgeSeconds = auth.refreshTokenTtlDays * 86_400;
    this.isSecure = site.api.startsWith('https:');
    this.name = this.isSecure ? '__Secure-refresh-token' : 'refresh-token';
  }

  /** Returns the value of Set-Cookie. Without a token, it removes the cookie. */
  valueOf(token?: string): string {
    const maxAge = token === undefined ? 0 : this.maxAgeSeconds;
    const flags = `HttpOnly; SameSite=Strict${this.isSecure ? '; Secure' : ''}`;
    return `${this.name}=${token ?? ''}; Path=/v1/auth; Max-Age=${maxAge}; ${flags}`;
  }

  /**
   * Returns the token of a body, or with `cookie` that of a Cookie header, which may be empty.
   *
   * @throws CodedError `missing_refresh_token`
   */
  tokenOf({ refreshToken, cookie = false }: { refreshToken?: string; cookie?: boolean }, cookies = ''): string {
    if (refreshToken !== undefined) return refreshToken;
    if (!cookie) {
      const fields = [{ field: 'refreshToken', message: 'is required without cookie: true' }];
      throw new CodedError('missing_refresh_token', 'refreshToken is required without cookie: true.', { fields });
    }
    const own = cookies.split(/; */).find((one) => one.startsWith(`${this.name}=`));
    return own?.slice(this.name.length + 1) ?? '';
  }

  /**
   * Browsers name the site or the origin of a page in each POST, and scripts cannot change these headers.
   * @throws CodedError `foreign_origin` unless a page of this server sent the request
   */
  requireOwnPage({ headers }: FastifyRequest): void {
    const site = headers['sec-fetch-site'];
    if (site === undefined ? this.isOwn(headers.origin, headers.host) : site === 'same-origin') return;
    throw new CodedError('foreign_origin', 'Only pages of this server can use the cookie. Send the refresh token.');
  }

  /** Compares with `Host` as well, because a local server has several names. */
  private isOwn(origin: string | undefined, host: string | undefined): boolean {
    if (origin === undefined || !URL.canParse(origin)) return false;
    return origin === this.origin || new URL(origin).host === host;
  }
}

@Injectable()
class RefreshCookieInterceptor implements NestInterceptor<SignedInDto | undefined> {
  private readonly cookie: RefreshCookie;

  constructor(config: AppConfig) {
    this.cookie = new RefreshCookie(config);
  }

  intercept(context: ExecutionContext, next: CallHandler<SignedInDto | undefined>): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest<{ Body?: { cookie?: unknown } }>>();
    if (request.body?.cookie !== true) return next.handle();
    this.cookie.requireOwnPage(request);
    return next.handle().pipe(
      map((signedIn) => {
        if (signedIn === undefined) return undefined;
        const { refreshToken, ...body } = signedIn;
        void http.getResponse<FastifyReply>().header('Set-Cookie', this.cookie.valueOf(refreshToken));
        return body;
      }),
    );
  }
}
