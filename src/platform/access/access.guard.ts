import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { within } from '../../common/within.js';
import { AppConfig } from '../../config/app-config.js';
import { type AccessRule, accessRuleOf, audienceOf } from './access.decorator.js';
import { AccessTokenService } from './access-token.service.js';
import { ApiTokenVerifier } from './api-token-verifier.js';
import { type RouteScope, scopeFor, scopeRuleOf } from './token-scope.js';
import { restricted } from './restricted.js';
import { EmailVerification, isForRestricted, needsVerifiedEmail } from './verified-email.js';
import { hasRole, hasScope, type Viewer } from './viewer.js';

const CONFIRM_TIMEOUT_MS = 1_000;

type Request = FastifyRequest & { viewer?: Viewer };

/** Sets the verified viewer of the request, and enforces the access rule of the route. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly verifiedFor: AppConfig['auth']['verifiedEmailFor'];

  constructor(
    private readonly tokens: AccessTokenService,
    private readonly apiTokens: ApiTokenVerifier,
    private readonly verification: EmailVerification,
    { auth }: AppConfig,
  ) {
    this.verifiedFor = auth.verifiedEmailFor;
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const rule = accessRuleOf(context.getHandler() as () => unknown, context.getClass());
    if (rule.level === 'public') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const confirming = request.headers.authorization === undefined ? null : this.tokens.confirm();
    if (confirming === null) return this.authorize(rule, request, context);
    return isConfirmed(rule, request.method, confirming).then((isKnown) =>
      isKnown ? this.authorize(rule, request, context) : true,
    );
  }

  private authorize(rule: AccessRule, request: Request, context: ExecutionContext): boolean | Promise<boolean> {
    const waiting = this.apiTokens.prepare(request.headers.authorization, audienceOf(context.getClass()));
    if (waiting !== null) return waiting.then(() => this.isAllowed(rule, request, context));
    return this.isAllowed(rule, request, context);
  }

  private isAllowed(rule: AccessRule, request: Request, context: ExecutionContext): boolean | Promise<boolean> {
    const viewer = this.tokens.authenticate(request.headers.authorization);
    if (viewer === null) {
      if (rule.level === 'optional') return true;
      throw new CodedError(
        'unauthorized',
        'Send an access token: `Authorization: Bearer <token>`; POST /v1/auth/login gives one.',
      );
    }
    if (viewer.scopes === undefined && viewer.audience !== audienceOf(context.getClass()))
      throw new CodedError('invalid_token', 'The token is for another API.');
    if (viewer.scopes !== undefined) {
      const scope = scopeFor(scopeRuleOf(context.getHandler() as () => unknown, context.getClass()), request.method);
      if (!hasScope(viewer, scope)) {
        // The token lacks the scope, so the caller gets the page of a visitor, like a hit of the response cache.
        if (rule.level === 'optional') return true;
        throw insufficientScope(scope);
      }
    }
    if (viewer.suspendedUntil !== undefined) requireNotSuspended(viewer.suspendedUntil, request.method, context);
    request.viewer = viewer;
    if (!hasRole(viewer, rule.role)) throw new CodedError('forbidden', `This requires the role ${rule.role}.`);
    // An unverified account may do everything that visitors may.
    const mayNeedVerification =
      this.verifiedFor !== 'none' && viewer.isEmailVerified !== true && rule.level === 'required';
    return mayNeedVerification && needsVerifiedEmail(this.verifiedFor, context)
      ? this.verification.require(viewer.id)
      : true;
  }
}

/** Returns false for a read of an `optional` route if revocations do not load in time. The caller then counts as a visitor. */
async function isConfirmed({ level }: AccessRule, method: string, confirming: Promise<true>): Promise<boolean> {
  if (level === 'required' || (method !== 'GET' && method !== 'HEAD')) return confirming;
  return (await within(CONFIRM_TIMEOUT_MS, confirming).catch(() => undefined)) === true;
}

/** A suspended account may read, and send the writes that are marked. @throws CodedError `account_suspended` */
function requireNotSuspended(until: number, method: string, context: ExecutionContext): void {
  if (method === 'GET' || method === 'HEAD' || until <= Date.now()) return;
  if (isForRestricted(context)) return;
  throw restricted('account_suspended', until === Infinity ? null : new Date(until));
}

function insufficientScope(scope: RouteScope): CodedError {
  const detail =
    scope === 'account' ? 'No API token may do this; sign in.' : `The API token needs the scope \`${scope}\` for this.`;
  return new CodedError('insufficient_scope', detail);
}
