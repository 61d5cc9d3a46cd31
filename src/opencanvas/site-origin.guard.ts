import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';

/** Allows only requests from pages of PUBLIC_SITE_URL, before the body is read. Clients other than browsers can forge the Origin header. */
@Injectable()
export class SiteOriginGuard implements CanActivate {
  private readonly origin: string | undefined;

  constructor({ site }: AppConfig) {
    this.origin = site.url === undefined ? undefined : new URL(site.url).origin;
  }

  canActivate(context: ExecutionContext): true {
    const { origin } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (origin !== undefined && origin === this.origin) return true;
    throw new CodedError('forbidden', 'Images without an account are accepted only from the site of this server.');
  }
}
