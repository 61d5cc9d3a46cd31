import { applyDecorators, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import type { Viewer } from './viewer.js';

const PUBLISHES = 'opencanvas:publishes';
const FOR_RESTRICTED = 'opencanvas:for-restricted';
/** Marks writes that an unverified or suspended account may do, in the OpenAPI document. */
export const FOR_RESTRICTED_EXTENSION = 'x-for-restricted';

/** Marks a route that always publishes, for any body. */
export const Publishes = (): MethodDecorator => SetMetadata(PUBLISHES, 'always');

/** Marks a route that publishes unless its body hides the content. A PATCH publishes only if its body makes the content readable. */
export const PublishesUnlessPrivate = (): MethodDecorator => SetMetadata(PUBLISHES, 'unless private');

/**
 * Why an unverified or suspended account may send a write. `self`: only this account sees the effect. `removal`: it only reduces what
 * others see. `emptying`: so it does with a body that only hides or empties fields.
 */
export type RestrictedEffect = 'self' | 'removal' | 'emptying';

/** Marks writes that an unverified or suspended account may send. */
export const ForRestricted = (effect: RestrictedEffect = 'self'): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(FOR_RESTRICTED, effect), ApiExtension(FOR_RESTRICTED_EXTENSION, effect));

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
  const effect = effectOn(context.getHandler()) ?? effectOn(context.getClass());
  return effect === 'emptying'
    ? onlyRemoves(context.switchToHttp().getRequest<FastifyRequest>().body)
    : effect !== undefined;
}

function effectOn(target: object): RestrictedEffect | undefined {
  return Reflect.getMetadata(FOR_RESTRICTED, target) as RestrictedEffect | undefined;
}

/** Whether a body only makes content private, or empties fields. */
export function onlyRemoves(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return Object.entries(body).every(([field, value]) => {
    if (field === 'isPublic') return value === false;
    if (field === 'visibility') return value === 'private';
    return value === null || value === '' || (Array.isArray(value) && value.length === 0);
  });
}

type Lookup = (accountIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** Reads the account before a rejection, because a token may be minutes older than the verification. */
@Injectable()
export class EmailVerification {
  private readonly mode: AppConfig['auth']['verifiedEmailFor'];
  private lookup: Lookup | undefined;

  constructor({ auth }: AppConfig) {
    this.mode = auth.verifiedEmailFor;
  }

  register(lookup: Lookup): void {
    this.lookup = lookup;
  }

  /** Returns the hex ids of the accounts with a verified address. */
  async findVerified(accountIds: readonly string[]): Promise<ReadonlySet<string>> {
    return (await this.lookup?.(accountIds)) ?? new Set();
  }

  /** @throws CodedError `email_not_verified` */
  async require(accountId: string): Promise<true> {
    if ((await this.findVerified([accountId])).has(accountId)) return true;
    throw notVerified();
  }

  /** Requires of an account without a request what the routes that publish require. @throws CodedError `email_not_verified` */
  requireToPublish({ isEmailVerified = false }: Pick<Viewer, 'isEmailVerified'>): void {
    if (this.mode !== 'none' && !isEmailVerified) throw notVerified();
  }
}

function notVerified(): CodedError {
  const detail = 'Verify your e-mail address first: POST /v1/auth/email-verification sends a mail.';
  return new CodedError('email_not_verified', detail);
}
