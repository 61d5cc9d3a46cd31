import { applyDecorators, Get, Header, Headers, HttpCode, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Client, type ClientInfo } from '../auth/client-info.js';
import type { Step } from '../auth/providers/provider-sign-in.service.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import type { HandlerResult } from './envelope.js';
import { GoogleSignInService } from './google-sign-in.service.js';
import { OpenCanvasController, ReplacedBy } from './opencanvas-route.js';
import { PeopleService } from './people.service.js';

/** A sign-in step. No cache may store the response, because its URL contains a token. */
function SignInStep(): MethodDecorator {
  return applyDecorators(
    ReplacedBy('/v1/auth/oidc/google/start'),
    Access('public'),
    RateLimit('auth'),
    HttpCode(302),
    Header('Cache-Control', 'no-store'),
  );
}

/** Sign-in, and the account of the client. */
@OpenCanvasController()
export class OpenCanvasAuthController {
  constructor(
    private readonly google: GoogleSignInService,
    private readonly people: PeopleService,
  ) {}

  @Get('auth/google')
  @SignInStep()
  async startGoogleSignIn(
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    send(reply, await this.google.start(cookies ?? ''));
  }

  @Get('auth/google/callback')
  @SignInStep()
  async finishGoogleSignIn(
    @Query() query: Record<string, string | string[]>,
    @Headers('cookie') cookies: string | undefined,
    @Client() client: ClientInfo,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    send(reply, await this.google.finish(query, cookies ?? '', client));
  }

  @Get('auth/user')
  @ReplacedBy('/v1/auth/me')
  @Access('required')
  @TokenScope('account')
  @Header('Cache-Control', 'private, no-cache')
  async getCurrentUser(@CurrentViewer() viewer: Viewer): Promise<HandlerResult> {
    return { user: await this.people.own(viewer) };
  }
}

function send(reply: FastifyReply, { location, cookies }: Step): void {
  void reply.header('Location', location);
  if (cookies.length > 0) void reply.header('Set-Cookie', cookies);
}
