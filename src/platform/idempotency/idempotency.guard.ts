import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  Injectable,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientSession } from 'mongodb';
import type { Viewer } from '../access/viewer.js';
import { AppConfig } from '../../config/app-config.js';
import { AnswerWriter } from '../http/answer-writer.js';
import { ProblemFilter } from '../http/problems/problem.filter.js';
import {
  AlreadyAnswered,
  type Claim,
  IdempotencyService,
  inProgress,
  isAlreadyAnswered,
  type StoredAnswer,
} from './idempotency.service.js';

/** Makes, of the function that shapes the response, a step for the transaction of the write; undefined when the request carries no key. */
export type AnswerKeeper = <Result>(
  answer: (result: Result) => unknown,
) => ((session: ClientSession, result: Result) => Promise<void>) | undefined;

export type KeyedFastifyRequest = FastifyRequest & { viewer?: Viewer; claim?: Claim; keepAnswer?: AnswerKeeper };

/** What of the first response's headers a replay repeats. */
const KEPT_HEADERS = ['content-location', 'etag', 'location'];

/**
 * Lets a first request through with the means to store its response, and stops a repeated one, which `ReplayFilter` answers. Not an
 * interceptor: those cost every request of the route, also without a key.
 */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(private readonly keys: IdempotencyService) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<KeyedFastifyRequest>();
    const key = request.headers['idempotency-key'];
    // a header sent twice arrives as one value with a comma and a space, which is no key
    return key === undefined || this.begin(String(key), request, http.getResponse<FastifyReply>());
  }

  private async begin(key: string, request: KeyedFastifyRequest, reply: FastifyReply): Promise<boolean> {
    const claim = this.keys.claim({
      key,
      accountId: request.viewer?.id ?? null,
      address: request.ip,
      userAgent: request.headers['user-agent'] ?? '',
      route: `${request.method} ${request.url.split('?', 1)[0]}`,
      body: request.body,
    });
    request.onHandled = this.keys.enter(claim);
    const first = await this.keys.find(claim);
    if (first !== null) throw new AlreadyAnswered(first);
    request.claim = claim;
    request.keepAnswer = (answer) => async (session, result) => {
      const body = JSON.stringify(answer(result));
      await this.keys.store(claim, { status: reply.statusCode, headers: keptHeaders(reply), body }, session);
    };
    return true;
  }
}

/** Answers a repeated request with the first response, byte for byte; everything else is a problem. */
@Catch()
@Injectable()
export class ReplayFilter implements ExceptionFilter {
  private readonly problems: ProblemFilter;

  constructor(
    private readonly keys: IdempotencyService,
    private readonly writer: AnswerWriter,
    config: AppConfig,
  ) {
    this.problems = new ProblemFilter(writer, config);
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<KeyedFastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (!isAlreadyAnswered(thrown)) return this.problems.send(thrown, request, reply);
    // Fastify must not answer while the first response is read
    reply.hijack();
    void this.answerOf(thrown, request.claim)
      .then(({ status, headers, body }) => {
        request.onHandled?.();
        this.writer.write(reply.status(status).headers(headers).header('Idempotent-Replayed', 'true'), body);
      })
      .catch((error: unknown) => this.problems.send(error, request, reply));
  }

  private async answerOf({ answer }: Partial<AlreadyAnswered>, claim: Claim | undefined): Promise<StoredAnswer> {
    const first = answer ?? (await this.keys.find(claim!));
    // stored on the primary member alone: no majority has it yet, and if it never does, this request is to run
    if (first === null) throw inProgress();
    return first;
  }
}

function keptHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = reply.getHeader(name);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}
