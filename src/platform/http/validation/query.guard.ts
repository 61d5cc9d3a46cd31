import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../../common/errors.js';
import { isApiRoute, routeOf } from '../request-identity.js';

export const IGNORES_QUERY = 'opencanvas:ignores-query';

/** Ignores unknown query parameters, for pages that other sites link to with parameters such as `utm_source`. */
export const IgnoresQuery = (): MethodDecorator & ClassDecorator => SetMetadata(IGNORES_QUERY, true);

/** Rejects all query parameters of routes without a query DTO, so that a misspelled parameter is never ignored. */
@Injectable()
export class QueryGuard implements CanActivate {
  private readonly acceptsQuery = new WeakMap<object, boolean>();

  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const names = Object.keys(request.query as object);
    if (names.length === 0 || !isApiRoute(routeOf(request)) || this.hasQuery(context)) return true;
    throw new CodedError('invalid_input', `This URL accepts no query parameters: ${names.join(', ')}.`, {
      fields: names.map((field) => ({ field, message: 'is not known here' })),
    });
  }

  private hasQuery(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    let accepts = this.acceptsQuery.get(handler);
    if (accepts === undefined) {
      const arguments_ = (Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), handler.name) ?? {}) as object;
      const isIgnored =
        this.reflector.getAllAndOverride<boolean>(IGNORES_QUERY, [handler, context.getClass()]) ?? false;
      accepts = isIgnored || Object.keys(arguments_).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
      this.acceptsQuery.set(handler, accepts);
    }
    return accepts;
  }
}
