import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { NetworkList } from '../../common/networks.js';
import { clientAddress } from '../http/client-address.js';

/** The headers that proxies add about their client. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** Metrics are for operators: for the networks of HTTP_METRICS, and not for pages of another origin in their browsers. */
@Injectable()
export class MetricsGuard implements CanActivate {
  private readonly readers: NetworkList;

  constructor(config: AppConfig) {
    this.readers = new NetworkList(config.http.metrics);
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.isOperator(request)) return true;
    const who = isUnknown(request)
      ? 'through a proxy that HTTP_TRUSTED_PROXIES does not name'
      : `from ${clientAddress(request)}`;
    throw new CodedError('forbidden', `Metrics are not available ${who}. Name the address in HTTP_METRICS.`);
  }

  /** Whether the request comes from one of these networks. */
  isOperator(request: FastifyRequest): boolean {
    return !isUnknown(request) && this.readers.has(clientAddress(request));
  }
}

/** Behind an untrusted proxy the address is that of the proxy, so any client may be the sender. */
function isUnknown(request: FastifyRequest): boolean {
  const isOfSocket = clientAddress(request) === request.socket.remoteAddress;
  return isOfSocket && FORWARDED.some((name) => request.headers[name] !== undefined);
}
