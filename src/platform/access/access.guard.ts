import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { accessRuleOf } from './access.decorator.js';
import { AccessTokenService } from './access-token.service.js';
import { needsVerifiedEmail } from './verified-email.js';
import { hasRole, type Viewer } from './viewer.js';

/** Puts the verified viewer on the request and holds the route's access rule. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly verifiedFor: AppConfig['auth']['verifiedEmailFor'];

  constructor(
    private readonly tokens: AccessTokenService,
    { auth }: AppConfig,
  ) {
    this.verifiedFor = auth.verifiedEmailFor;
  }

  canActivate(context: ExecutionContext): boolean {
    const rule = accessRuleOf(context.getHandler() as () => unknown, context.getClass());
    if (rule.level === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest & { viewer?: Viewer }>();
    const viewer = this.tokens.authenticate(request.headers.authorization);
    if (viewer === null) {
      if (rule.level === 'optional') return true;
      throw new CodedError(
        'unauthorized',
        'Send an access token: `Authorization: Bearer <token>`; POST /v1/auth/login gives one.',
      );
    }
    request.viewer = viewer;
    if (!hasRole(viewer, rule.role)) throw new CodedError('forbidden', `This needs the role ${rule.role}.`);
    // what visitors may do, an account may do unverified
    const isHeld = this.verifiedFor !== 'none' && viewer.isEmailVerified !== true && rule.level === 'required';
    if (isHeld && needsVerifiedEmail(this.verifiedFor, context)) {
      throw new CodedError(
        'email_not_verified',
        'Verify your e-mail address first: POST /v1/auth/email-verification sends a mail. Then refresh your tokens.',
      );
    }
    return true;
  }
}
