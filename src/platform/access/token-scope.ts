import { applyDecorators, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { namedValues } from '../../common/named-values.js';

/**
 * The scopes of an API token. `moderation` opens no route: without this scope, a token has the role of a user, unless its only scope is
 * `operations`, which opens routes of admins.
 */
export const SCOPES = namedValues('Scope', [
  'read',
  'posts',
  'comments',
  'interactions',
  'notifications',
  'profile',
  'webhooks',
  'moderation',
  'operations',
]);
export type Scope = (typeof SCOPES)[number];

/** `account`: routes of the account itself (passwords, sessions, tokens, deletion), which no API token may call. */
export type RouteScope = Exclude<Scope, 'moderation'> | 'account';
export type ScopeRule = { reads: RouteScope; writes: RouteScope };

const SCOPE_METADATA = 'opencanvas:token-scope';
/** extension name in the OpenAPI document */
export const SCOPE_EXTENSION = 'x-token-scope';

/** Declares the scope that API tokens need for a route, or for the reads and writes of a controller. The default is `account`. */
export function TokenScope(reads: RouteScope, writes: RouteScope = reads): MethodDecorator & ClassDecorator {
  const rule: ScopeRule = { reads, writes };
  return applyDecorators(SetMetadata(SCOPE_METADATA, rule), ApiExtension(SCOPE_EXTENSION, rule));
}

/** Returns the rule of a handler, or else of its controller. */
export function scopeRuleOf(handler: Type | (() => unknown), controller: Type): ScopeRule | undefined {
  const ruleOn = (target: object) => Reflect.getMetadata(SCOPE_METADATA, target) as ScopeRule | undefined;
  return ruleOn(handler) ?? ruleOn(controller);
}

export function scopeFor(rule: ScopeRule | undefined, method: string): RouteScope {
  const isRead = /^(?:get|head)$/i.test(method);
  return rule?.[isRead ? 'reads' : 'writes'] ?? 'account';
}
