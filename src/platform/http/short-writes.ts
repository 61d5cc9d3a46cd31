import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IsGone } from '../../common/client-gone.js';
import { AppConfig } from '../../config/app-config.js';
import { observeRequest } from '../observability/http-metrics.js';
import { type AccessRule, accessRuleOf } from './access.decorator.js';
import { AccessTokenService } from './access-token.service.js';
import { isGoneOf } from './client-presence.js';
import { headersForAll } from './headers-for-all.js';
import { rateLimitHeaders } from './rate-limit.hook.js';
import { RateLimiter, type RateLimitPolicy } from './rate-limiter.js';
import { createRequestId } from './request-id.js';
import { readSmallBody } from './small-body.js';
import { hasRole, type Viewer } from './viewer.js';
import { visitorLimitOf } from './visitor-limit.decorator.js';
import { answerWhole, type SharedHeaders, sharedHeaders } from './whole-answer.js';

/** One request, as the route's handler would get it. */
export type ShortWrite<Value> = {
  /** the parameter in the middle of the address */
  param: string;
  /** what the body's only field says; undefined where the route takes no body */
  value: Value;
  /** null: a visitor, on a route that is open to them */
  viewer: Viewer | null;
  request: IncomingMessage;
  isGone: IsGone;
};

export type ShortWriteRoute<Controller, Value> = {
  controller: Type<Controller>;
  /** the handler, whose access rule holds here too; it answers 200 and sets no header */
  handler: keyof Controller & string;
  /** method and pattern, of the form `PUT /v1/posts/:id/vote` */
  route: string;
  /** what the parameter looks like when it is well-formed */
  param: RegExp;
  /** the body's only field and what it may say */
  body?: { field: string; values: readonly Value[] };
  /** what the handler does */
  run: (write: ShortWrite<Value>) => Promise<unknown>;
};

type Body = { field: string; values: readonly unknown[]; /** as clients write them */ known: Map<string, unknown> };

type Route = Pick<ShortWriteRoute<unknown, unknown>, 'param' | 'run'> & {
  body: Body | undefined;
  method: string;
  pattern: string;
  rule: AccessRule;
  visitorLimit: RateLimitPolicy;
  /** what the framework gave its first answer of this route, the same for every client; before that there is no short way */
  shared: SharedHeaders | null;
};

type Taken = { route: Route; param: string; viewer: Viewer | null; limits: string[]; startedAt: number };

const SHAPE = /^\/v1\/([a-z]+)\/(\w{1,64})\/([a-z]+)$/;
const JSON_TYPES = new Set(['application/json', 'application/json; charset=utf-8']);
const MAX_BODY = 256;

/**
 * The writes that come most often (votes, saves, follows, events), in their plainest form: answered on the raw listener by the same
 * service under the same rules of access, limits and admission, without the framework's pipeline, which costs several times as much
 * as the write's share of its commit (docs/performance/writes.md). Whatever is not plain goes on to the framework with its body
 * unread, and so does every failure: one place shapes errors.
 */
@Injectable()
export class ShortWrites {
  /** by method and address without the parameter: `PUT posts/vote` */
  private readonly routes = new Map<string, Route>();
  private readonly failures = new WeakMap<IncomingMessage, unknown>();
  private readonly hasProxies: boolean;
  private readonly isOpenToAll: boolean;
  readonly counts = { answered: 0, failed: 0 };

  constructor(
    private readonly tokens: AccessTokenService,
    private readonly limiter: RateLimiter,
    config: AppConfig,
  ) {
    this.hasProxies = config.http.trustedProxies.length > 0;
    this.isOpenToAll = config.http.corsOrigins.includes('*');
  }

  add<Controller, Value = undefined>(added: ShortWriteRoute<Controller, Value>): void {
    const { controller, handler, route, param, body, run } = added;
    const [method = '', pattern = ''] = route.split(' ');
    const [, , collection, , action] = pattern.split('/');
    const handled = (controller.prototype as Record<string, () => unknown>)[handler]!;
    const rule = accessRuleOf(handled, controller);
    const visitorLimit = visitorLimitOf(handled) ?? 'writes';
    const known = new Map(body?.values.map((value) => [JSON.stringify({ [body.field]: value }), value]));
    const erased = { param, body: body && { ...body, known }, run } as Pick<Route, 'param' | 'body' | 'run'>;
    this.routes.set(`${method} ${collection}/${action}`, {
      method,
      pattern,
      rule,
      visitorLimit,
      shared: null,
      ...erased,
    });
  }

  /** The framework's answers tell what it adds to those of a route. */
  learn(request: FastifyRequest, reply: FastifyReply): void {
    const route = reply.statusCode === 200 ? this.find(request.raw)?.route : undefined;
    if (route?.shared !== null || request.headers['idempotency-key'] !== undefined) return;
    route.shared = sharedHeaders(headersForAll(reply));
  }

  /** What went wrong with a request that was handed on, for the framework to answer. */
  failureOf(request: IncomingMessage): unknown {
    return this.failures.get(request);
  }

  /** True when the request is answered here, or handed `onward` later. */
  take(request: IncomingMessage, response: ServerResponse, onward: () => void): boolean {
    const found = this.find(request);
    if (found === null || found.route.shared === null) return false;
    const { route, param } = found;
    const { headers } = request;
    if (!this.isPlain(headers)) return false;
    const length = bodyLength(headers, route.body !== undefined);
    const viewer = this.viewerOf(headers.authorization, route.rule);
    if (length === null || viewer === undefined) return false;
    const limits = this.admit(request, viewer, route);
    if (limits === null) return false;
    const taken = { route, param, viewer, limits, startedAt: performance.now() };
    if (route.body === undefined) void this.answer(taken, undefined, request, response, onward);
    else {
      readSmallBody(request, response, length, (bytes) => {
        const value = valueIn(bytes, route.body!);
        if (value !== undefined) return void this.answer(taken, value, request, response, onward);
        if (bytes !== null) request.unshift(bytes);
        onward();
      });
    }
    return true;
  }

  private find({ method, url }: IncomingMessage): { route: Route; param: string } | null {
    if (method === 'GET' || method === 'HEAD') return null;
    const [, collection, param, action] = SHAPE.exec(url!) ?? [];
    const route = this.routes.get(`${method} ${collection}/${action}`);
    return route !== undefined && route.param.test(param!) ? { route, param: param! } : null;
  }

  private isPlain(headers: IncomingHttpHeaders): boolean {
    return (
      headers['idempotency-key'] === undefined &&
      headers['transfer-encoding'] === undefined &&
      headers.expect === undefined &&
      headers.upgrade === undefined &&
      (this.isOpenToAll || headers.origin === undefined) &&
      (!this.hasProxies || headers['x-forwarded-for'] === undefined)
    );
  }

  /** undefined: the framework decides, and says why not; null: a visitor who is welcome */
  private viewerOf(authorization: string | undefined, { level, role }: AccessRule): Viewer | null | undefined {
    if (authorization === undefined) return level === 'optional' ? null : undefined;
    const viewer = authorization.startsWith('Bearer ') ? this.tokens.recall(authorization.slice(7)) : null;
    return viewer !== null && hasRole(viewer, role) ? viewer : undefined;
  }

  /** The rate limit's headers, or null when the framework has to refuse. */
  private admit(request: IncomingMessage, viewer: Viewer | null, { visitorLimit }: Route): string[] | null {
    if (!this.limiter.isEnabled) return [];
    const policy = viewer === null ? visitorLimit : 'writes';
    const verdict = this.limiter.takeOnce(request, policy, viewer?.id ?? null, request.socket.remoteAddress ?? '');
    return verdict.isAllowed ? rateLimitHeaders(verdict) : null;
  }

  private async answer(
    { route, param, viewer, limits, startedAt }: Taken,
    value: unknown,
    request: IncomingMessage,
    response: ServerResponse,
    onward: () => void,
  ): Promise<void> {
    let body: string;
    try {
      body = JSON.stringify(await route.run({ param, value, viewer, request, isGone: isGoneOf(request) }));
    } catch (error) {
      this.counts.failed++;
      this.failures.set(request, error);
      onward();
      return;
    }
    this.counts.answered++;
    const ms = performance.now() - startedAt;
    limits.push('x-request-id', createRequestId(request), 'server-timing', `total;dur=${ms.toFixed(1)}`);
    answerWhole(response, route.shared!, limits, body);
    observeRequest(route.method, route.pattern, 200, ms);
  }
}

/** Bytes of a body that is as plain as the route expects, 0 for none; null when the framework has to look at it. */
function bodyLength(headers: IncomingHttpHeaders, isExpected: boolean): number | null {
  const type = headers['content-type'];
  const length = Number(headers['content-length'] ?? 0);
  if (!isExpected) return type === undefined && length === 0 ? 0 : null;
  return type !== undefined && JSON_TYPES.has(type) && length > 0 && length <= MAX_BODY ? length : null;
}

/** What the body's only field says; undefined for a body that validation has to refuse. */
function valueIn(bytes: Buffer | null, { field, values, known }: Body): unknown {
  if (bytes === null) return undefined;
  const text = bytes.toString();
  const value = known.get(text);
  if (value !== undefined) return value;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
    const [[name, value] = [], ...others] = Object.entries(body) as [string, unknown][];
    return name === field && others.length === 0 && values.includes(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
