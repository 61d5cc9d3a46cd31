import { applyDecorators, type ExecutionContext, Injectable, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

const PUBLISHES = 'opencanvas:publishes';
const FOR_RESTRICTED = 'opencanvas:for-restricted';
/** Marks writes that an unverified or suspended account may do, in the OpenAPI document. */
export const FOR_RESTRICTED_EXTENSION = 'x-for-restricted';

/** Marks a route that always publishes, for any body. */
export const Publishes = (): MethodDecorator => SetMetadata(PUBLISHES, 'always');

/** Marks a route that publishes unless its body hides the content. A PATCH publishes only if its body makes the content readable. */
export const PublishesUnlessPrivate = (): MethodDecorator => SetMetadata(PUBLISHES, 'unless private');

/** Marks routes of the account itself, which an unverified or suspended owner may change. */
export const ForRestricted = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(FOR_RESTRICTED, true), ApiExtension(FOR_RESTRICTED_EXTENSION, true));

/** Whether a request needs a verified e-mail address. @param mode the writes for which the server requires one */
export function needsVerifiedEmail(mode: 'publish' | 'write', context: ExecutionContext): boolean {
  const handler = context.getHandler();
  const { method, body } = context
    .switchToHttp()
    .getRequest<FastifyRequest<{ Body?: { isPublic?: unknown; visibility?: unknown } | null }>>();
  if (mode === 'publish') {
    const publishes: unknown = Reflect.getMetadata(PUBLISHES, handler);
    if (publishes !== 'unless private') return publishes === 'always';
    if (body?.visibility !== undefined) return body.visibility !== 'private';
    return (body?.isPublic ?? method !== 'PATCH') !== false;
  }
  const isRead = method === 'GET' || method === 'HEAD';
  return !isRead && !isForRestricted(context);
}

/** Whether a suspended account may send a request that is not a read. */
export function isForRestricted(context: ExecutionContext): boolean {
  return isMarked(FOR_RESTRICTED, context.getHandler()) || isMarked(FOR_RESTRICTED, context.getClass());
}

function isMarked(mark: string, target: Type | (() => unknown) | object): boolean {
  return Reflect.getMetadata(mark, target) === true;
}

type Lookup = (accountId: string) => Promise<boolean>;

/** Reads the account before a rejection, because a token may be minutes older than the verification. */
@Injectable()
export class EmailVerification {
  private lookup: Lookup | undefined;

  register(lookup: Lookup): void {
    this.lookup = lookup;
  }

  async isVerified(accountId: string): Promise<boolean> {
    return (await this.lookup?.(accountId)) === true;
  }
}
