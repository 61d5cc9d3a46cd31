import { applyDecorators, type ExecutionContext, Injectable, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

const PUBLISHES = 'opencanvas:publishes';
const FOR_UNVERIFIED = 'opencanvas:for-unverified';
/** Marks writes that never need a verified address, in the OpenAPI document. */
export const FOR_UNVERIFIED_EXTENSION = 'x-for-unverified-email';

/** Marks a route that always publishes, for any body. */
export const Publishes = (): MethodDecorator => SetMetadata(PUBLISHES, 'always');

/** Marks a route that publishes unless its body hides the content. A PATCH publishes only if its body makes the content readable. */
export const PublishesUnlessPrivate = (): MethodDecorator => SetMetadata(PUBLISHES, 'unless private');

/** Marks routes of the account itself, which an unverified owner may change. */
export const ForUnverified = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(FOR_UNVERIFIED, true), ApiExtension(FOR_UNVERIFIED_EXTENSION, true));

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
  return !isRead && !isMarked(FOR_UNVERIFIED, handler) && !isMarked(FOR_UNVERIFIED, context.getClass());
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
