import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import { NetworkList } from '../../common/networks.js';

/** The headers that proxies add about their client. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** Measures are for operators: the networks of HTTP_METRICS, and no page of another origin in their browsers. */
@Injectable()
export class MetricsGuard implements CanActivate {
  private readonly readers: NetworkList;

  constructor(config: AppConfig) {
    this.readers = new NetworkList(config.http.metrics);
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.isOperator(request)) return true;
    const who = isUnknown(request) ? 'through a proxy that HTTP_TRUSTED_PROXIES does not name' : `from ${request.ip}`;
    throw new CodedError('forbidden', `Metrics are not available ${who}. Name the address in HTTP_METRICS.`);
  }

  /** Whether it comes from one of these networks. */
  isOperator(request: FastifyRequest): boolean {
    return !isUnknown(request) && this.readers.has(request.ip);
  }
}

/** Through a proxy that is not trusted the address is the proxy's, and any client may stand behind it. */
function isUnknown({ ip, headers, socket }: FastifyRequest): boolean {
  return ip === socket.remoteAddress && FORWARDED.some((name) => headers[name] !== undefined);
}
