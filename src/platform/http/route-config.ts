// The index of the package would load Fastify, which processes without HTTP do not need.
import { RouteConfig } from '@nestjs/platform-fastify/decorators/index.js';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';

/** Adds values to Fastify's configuration of a route. Nest's own decorator would replace earlier values. */
export function addRouteConfig(part: object): MethodDecorator {
  return (target, key, descriptor) => {
    const known = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as object | undefined;
    (RouteConfig({ ...known, ...part }) as MethodDecorator)(target, key, descriptor);
  };
}
