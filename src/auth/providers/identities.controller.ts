import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Res,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { SignedInDto } from '../account.dto.js';
import { Client, type ClientInfo } from '../client-info.js';
import { REAUTHENTICATION_ERRORS } from '../password-rules.js';
import { UsesRefreshCookie } from '../refresh-cookie.js';
import { Access, CurrentViewer } from '../../platform/access/access.decorator.js';
import { ForRestricted } from '../../platform/access/verified-email.js';
import { TokenScope } from '../../platform/access/token-scope.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { ApiProblems } from '../../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../../platform/http/openapi/no-content.decorator.js';
import { ExampleNeeds } from '../../platform/http/openapi/example-needs.decorator.js';
import { ErrorPage } from '../../platform/http/problems/problem-page.js';
import { headerRefs } from '../../platform/http/openapi/document-headers.js';
import { RateLimit } from '../../platform/rate-limit/rate-limit.decorator.js';
import {
  BeginLinkBody,
  BegunLinkDto,
  CodeBody,
  ExchangeBody,
  IdentitiesDto,
  IdentityDto,
  ProvidersDto,
  StartQuery,
} from './dto/identity.dto.js';
import { IdentitiesService } from './identities.service.js';
import { ProviderSignInService, type Step } from './provider-sign-in.service.js';
import { REFUSAL_REASONS } from './provider-refusal.js';

const PROVIDER_PARAM = {
  name: 'provider',
  description: 'name of the provider, as `GET /v1/auth/providers` lists it',
  schema: { type: 'string' as const, maxLength: 32, pattern: '^[a-z][a-z0-9-]{0,31}$', example: 'google' },
};

const ERRORS = Object.entries(REFUSAL_REASONS)
  .map(([reason, meaning]) => `\`${reason}\` (${meaning})`)
  .join(', ');

/** Marks a step of a sign-in, which no cache may store. */
function SignInStep(): MethodDecorator {
  return applyDecorators(RateLimit('auth'), Header('Cache-Control', 'no-store'));
}

/** Sign-in with accounts at other providers. */
@ForRestricted()
@ApiTags('providers')
@Controller('auth')
@TokenScope('account')
export class IdentitiesController {
  constructor(
    private readonly signIns: ProviderSignInService,
    private readonly identities: IdentitiesService,
  ) {}

  @Get('providers')
  @Access('public')
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOperation({
    summary: 'List sign-in providers',
    description: 'The providers that the operator has configured, by name.',
  })
  @ApiOkResponse({ type: ProvidersDto })
  listProviders(): ProvidersDto {
    return { data: this.signIns.providerNames().map((provider) => ({ provider })) };
  }

  @Get('oidc/:provider/start')
  @HttpCode(302)
  @Access('public')
  @SignInStep()
  @ErrorPage()
  @ExampleNeeds('a provider, and a browser that follows it')
  @ApiOperation({
    summary: 'Start a sign-in with a provider',
    description:
      'Open it in the browser. It returns to `returnTo` with `?code=`, for `POST /v1/auth/exchange` (once, within 60 seconds), or with ' +
      `\`?error=\`: ${ERRORS}. Put a random value of your own into \`returnTo\`, and accept a code only when it comes back with it.`,
  })
  @ApiParam(PROVIDER_PARAM)
  @ApiResponse({ status: 302, description: 'redirects to the provider', headers: headerRefs('Location') })
  @ApiProblems('provider_not_found', 'invalid_code')
  async startProviderSignIn(
    @Param('provider') provider: string,
    @Query() query: StartQuery,
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    send(reply, await this.signIns.start(provider, query, cookies ?? ''));
  }

  @Get('oidc/:provider/callback')
  @HttpCode(303)
  @Access('public')
  @SignInStep()
  @ErrorPage()
  @ExampleNeeds('a sign-in at a provider, which sends the browser here')
  @ApiOperation({
    summary: 'Finish a sign-in at a provider',
    description:
      'Providers send the browser here. Only the browser that started the sign-in can finish it; several may be pending. Errors are a page in a browser (`Accept: text/html`).',
  })
  @ApiParam(PROVIDER_PARAM)
  @ApiResponse({
    status: 303,
    description: 'redirects to the client, with a code or an error',
    headers: headerRefs('Location'),
  })
  @ApiProblems('provider_not_found', 'sign_in_not_begun')
  async finishProviderSignIn(
    @Param('provider') provider: string,
    @Query() query: Record<string, string | string[]>,
    @Headers('cookie') cookies: string | undefined,
    @Client() client: ClientInfo,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    send(reply, await this.signIns.finish(provider, query, cookies ?? '', client));
  }

  @Post('exchange')
  @HttpCode(200)
  @Access('public')
  @RateLimit('auth')
  @UsesRefreshCookie()
  @ApiOperation({
    summary: 'Exchange a sign-in code for tokens',
    description: 'Works once, within 60 seconds. An account with a second factor needs it here, too.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiProblems('invalid_code', 'invalid_credentials', 'account_banned', 'second_factor_required')
  async exchangeCode(@Body() body: ExchangeBody, @Client() client: ClientInfo): Promise<SignedInDto> {
    return this.signIns.exchange(body.code, client);
  }

  @Get('identities')
  @Access('required')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List my linked providers',
    description: 'At most one identity for each provider.',
  })
  @ApiOkResponse({ type: IdentitiesDto })
  async listIdentities(@CurrentViewer() viewer: Viewer): Promise<IdentitiesDto> {
    return { data: await this.identities.listOf(viewer._id) };
  }

  @Post('identities/:provider')
  @HttpCode(200)
  @Access('required')
  @SignInStep()
  @ApiOperation({
    summary: 'Start linking a provider',
    description:
      'Returns the URL to open in the browser. It returns to `returnTo` with a `?code=` for `PUT` on this path, or with `?error=` as a sign-in does. Requires the password, or a recent sign-in where there is none.',
  })
  @ApiParam(PROVIDER_PARAM)
  @ApiOkResponse({ type: BegunLinkDto })
  @ApiProblems(...REAUTHENTICATION_ERRORS, 'provider_not_found')
  async beginLink(
    @CurrentViewer() viewer: Viewer,
    @Param('provider') provider: string,
    @Body() body: BeginLinkBody,
    @Client() client: ClientInfo,
  ): Promise<BegunLinkDto> {
    return this.signIns.beginLink(viewer, provider, body, client);
  }

  @Put('identities/:provider')
  @Access('required')
  @SignInStep()
  @ApiOperation({
    summary: 'Link a provider to my account',
    description: 'Send the code from the redirect. Only the account that started can finish; its owner gets a mail.',
  })
  @ApiParam(PROVIDER_PARAM)
  @ApiOkResponse({ type: IdentityDto })
  @ApiProblems('provider_not_found', 'invalid_code', 'identity_taken', 'user_not_found')
  async finishLink(
    @CurrentViewer() viewer: Viewer,
    @Param('provider') provider: string,
    @Body() body: CodeBody,
  ): Promise<IdentityDto> {
    return this.signIns.finishLink(viewer, provider, body.code);
  }

  @Delete('identities/:provider')
  @NoContent()
  @Access('required')
  @ApiOperation({
    summary: 'Unlink a provider',
    description:
      'The last sign-in method cannot be removed: set a password first. Sessions stay. The owner gets a mail.',
  })
  @ApiParam(PROVIDER_PARAM)
  @ApiProblems('identity_not_found', 'last_sign_in_method')
  async unlinkIdentity(@CurrentViewer() viewer: Viewer, @Param('provider') provider: string): Promise<void> {
    await this.identities.unlink(viewer._id, provider);
  }
}

function send(reply: FastifyReply, { location, cookies }: Step): void {
  void reply.header('Location', location);
  if (cookies.length > 0) void reply.header('Set-Cookie', cookies);
}
