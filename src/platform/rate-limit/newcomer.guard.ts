import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { isNewcomer, type Viewer } from '../access/viewer.js';
import { NEWCOMER_KIND, type NewcomerKind } from './newcomer-limits.js';
import { RateLimiter } from './rate-limiter.js';

/** Counts the writes of new accounts in memory: the token contains the age, so no request reads the database for it. */
@Injectable()
export class NewcomerGuard implements CanActivate {
  private readonly newcomerMs: number;

  constructor(
    private readonly limiter: RateLimiter,
    { newcomers }: AppConfig,
  ) {
    this.newcomerMs = newcomers.ms;
  }

  /** Runs on routes with `@NewcomerLimit`, after AccessGuard. @throws CodedError `newcomer_limit` */
  canActivate(context: ExecutionContext): true {
    const kind = Reflect.getMetadata(NEWCOMER_KIND, context.getHandler()) as NewcomerKind;
    const { viewer } = context.switchToHttp().getRequest<FastifyRequest & { viewer?: Viewer }>();
    if (viewer !== undefined && isNewcomer(viewer, this.newcomerMs)) this.limiter.requireNewcomer(viewer.id, kind);
    return true;
  }
}
