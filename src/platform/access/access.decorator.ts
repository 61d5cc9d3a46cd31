import { createParamDecorator, type ExecutionContext, SetMetadata, applyDecorators, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Audience, Role, Viewer } from './viewer.js';

const ACCESS_METADATA = 'opencanvas:access';
/** extension name in the OpenAPI document: the lowest role that may call the operation; absent: every account */
export const ROLE_EXTENSION = 'x-role';
const AUDIENCE_METADATA = 'opencanvas:token-audience';

/** `public`: ignores credentials; `optional`: uses a token if there is one; `required`: returns 401 without a token. */
export type AccessLevel = 'public' | 'optional' | 'required';
export type AccessRule = { level: AccessLevel; role: Role };

const DEFAULT_RULE: AccessRule = { level: 'required', role: 'user' };

const ruleOn = (target: object) => Reflect.getMetadata(ACCESS_METADATA, target) as AccessRule | undefined;

/** Returns the rule of a handler, or else of its controller. */
export function accessRuleOf(handler: Type | (() => unknown), controller: Type): AccessRule {
  return ruleOn(handler) ?? ruleOn(controller) ?? DEFAULT_RULE;
}

/** Declares the access level of a route. The default is `required`. */
export function Access(level: AccessLevel, role: Role = 'user'): MethodDecorator & ClassDecorator {
  const metadata = SetMetadata(ACCESS_METADATA, { level, role } satisfies AccessRule);
  // Also for `user`, because a handler replaces the role of its controller.
  const rule = applyDecorators(metadata, ApiExtension(ROLE_EXTENSION, role));
  // In OpenAPI, an empty requirement means "also without credentials".
  if (level === 'public') return applyDecorators(rule, ApiSecurity({}));
  if (level === 'optional') return applyDecorators(rule, ApiBearerAuth(), ApiSecurity({}));
  return applyDecorators(rule, ApiBearerAuth());
}

/** Accepts tokens for this audience and API tokens on the routes of the controller, but no access tokens. */
export const ForAudience = (audience: Audience): ClassDecorator => SetMetadata(AUDIENCE_METADATA, audience);

/** Returns the audience of a controller, or undefined for `/v1`. */
export function audienceOf(controller: Type): Audience | undefined {
  return Reflect.getMetadata(AUDIENCE_METADATA, controller) as Audience | undefined;
}

/** The signed-in caller: a Viewer on `required` routes, Viewer or null on `optional` routes. */
export const CurrentViewer = createParamDecorator((_: unknown, context: ExecutionContext): Viewer | null => {
  return context.switchToHttp().getRequest<FastifyRequest & { viewer?: Viewer }>().viewer ?? null;
});
