import { isIP } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { NetworkList } from '../../common/networks.js';

/** An IPv4 address with a port, or a bracketed IPv6 address with or without one, as some proxies write them. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/**
 * Returns the address of the client: the one that trusted proxies forward, without its port. Every limit, session and count by address
 * uses this function. If a proxy forwards something else, such as `unknown`, returns the proxy's own address.
 */
export function clientAddress(request: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const forwarded = withoutPort(request.ip ?? '');
  // A client that has disconnected has no address.
  return isIP(forwarded) === 0 ? (request.socket.remoteAddress ?? '') : forwarded;
}

export const ClientAddress = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientAddress(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Returns the `trustProxy` option of Fastify for HTTP_TRUSTED_PROXIES. The hops of a chain may have ports, too. */
export function trustProxies(ranges: string[]): false | ((address: string | undefined) => boolean) {
  if (ranges.length === 0) return false;
  const proxies = new NetworkList(ranges);
  return (address = '') => proxies.has(withoutPort(address));
}

function withoutPort(text: string): string {
  const [, v4, v6] = WITH_PORT.exec(text) ?? [];
  return v4 ?? v6 ?? text;
}
