import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { noteWait } from '../http/response-headers.js';
import { HostBarrier } from '../outbox/host-barrier.js';

type Request = FastifyRequest<{ Body?: { isPublic?: boolean } | null }>;

@Injectable()
class WithdrawalInterceptor implements NestInterceptor {
  constructor(private readonly barrier: HostBarrier) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const answer: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
    const { method, body } = context.switchToHttp().getRequest<Request>();
    // an edit withdraws what it hides
    if (method === 'PATCH' && body?.isPublic !== false) return of(answer);
    const ms = await this.barrier.settled();
    if (ms !== undefined) noteWait(context.switchToHttp().getResponse<FastifyReply>().raw, { name: 'hosts', ms });
    return of(answer);
  }
}

/** The response waits until no host gives out what was deleted, hidden or ended; `Server-Timing: hosts` says how long. */
export const Withdraws = (): MethodDecorator => UseInterceptors(WithdrawalInterceptor);
