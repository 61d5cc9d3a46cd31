import { Body, Controller, Delete, Get, Header, Headers, HttpCode, Post, Put, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import type { Viewer } from '../platform/access/viewer.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { ownUserEtag } from '../users/user.dto.js';
import { AccountDto, SignedInDto } from './account.dto.js';
import { AccountCreationService } from './account-creation.service.js';
import { AccountsService } from './accounts.service.js';
import { AuthService } from './auth.service.js';
import { Client, type ClientInfo } from './client-info.js';
import { PasswordsService } from './passwords.service.js';
import { REAUTHENTICATION_ERRORS, OwnPasswordBody } from './password-rules.js';
import { RefreshCookie, UsesRefreshCookie } from './refresh-cookie.js';
import { ChangePasswordBody, LoginBody, RefreshBody, RegisterBody } from './dto/sign-in.dto.js';

/** Registration, sign-in, sign-out and the viewer's account. Account deletion is here, because it needs the password. */
@Controller()
@ForRestricted()
@TokenScope('account')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly creation: AccountCreationService,
    private readonly passwords: PasswordsService,
    private readonly accounts: AccountsService,
    private readonly cookie: RefreshCookie,
  ) {}

  @Post('auth/register')
  @ApiTags('sign-in')
  @Access('public')
  @RateLimit('auth')
  @UsesRefreshCookie()
  @ApiOperation({
    summary: 'Create an account',
    description:
      'Returns tokens and the account, and sends a mail to confirm the address. `Location` is the public profile. A network can create a few accounts an hour (`rate_limited`). `GET /v1/instance` says who may register.',
  })
  @ApiCreatedResponse({ type: SignedInDto, headers: headerRefs('Location') })
  @ApiAcceptedResponse({ description: 'a moderator decides: there is no account until then; a mail has the decision' })
  @ApiProblems('registration_closed', 'invalid_invite', 'newcomer_content', 'mail_domain_refused')
  @ApiProblems('username_taken', 'email_taken')
  @ApiProblems('content_rejected')
  async register(
    @Body() body: RegisterBody,
    @Client() client: ClientInfo,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInDto | undefined> {
    const signedIn = await this.creation.register(body, client);
    if (signedIn === null) {
      void reply.status(202);
      return undefined;
    }
    void reply.header('Location', `/v1/users/${signedIn.user.username}`);
    return signedIn;
  }

  @Post('auth/login')
  @ApiTags('sign-in')
  @HttpCode(200)
  @Access('public')
  @RateLimit('auth')
  @UsesRefreshCookie()
  @ApiOperation({
    summary: 'Sign in with username or e-mail address',
    description:
      'An unknown account and a wrong password get the same response after the same time. With a second factor, the correct password gets `second_factor_required` and an `mfaToken` for `POST /v1/auth/login/second-factor`.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiProblems('invalid_credentials', 'account_banned', 'second_factor_required')
  async login(@Body() body: LoginBody, @Client() client: ClientInfo): Promise<SignedInDto> {
    return this.auth.login(body, client);
  }

  @Post('auth/refresh')
  @ApiTags('sign-in')
  @HttpCode(200)
  @Access('public')
  @UsesRefreshCookie()
  @ApiOperation({
    summary: 'Refresh tokens',
    description:
      'A refresh token is used once. Repeated within 30 seconds, the request returns the same next token. Reuse after that revokes the session and all its tokens. With `cookie`, the token of the cookie is used, and stays valid until the access token of its first use expires.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiProblems('invalid_refresh_token', 'missing_refresh_token')
  async refreshTokens(
    @Body() body: RefreshBody,
    @Headers('cookie') cookies: string | undefined,
    @Client() client: ClientInfo,
  ): Promise<SignedInDto> {
    return this.auth.refresh(this.cookie.tokenOf(body, cookies), client, body.cookie);
  }

  @Post('auth/logout')
  @ApiTags('sign-in')
  @NoContent()
  @Access('public')
  @UsesRefreshCookie()
  @ApiOperation({
    summary: 'Sign out',
    description:
      'Revokes the session of the refresh token, with its access tokens. An unknown token gets the same response. With `cookie`, removes the cookie and revokes its session.',
  })
  @ApiProblems('missing_refresh_token')
  async logout(
    @Body() body: RefreshBody,
    @Headers('cookie') cookies: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.auth.logout(this.cookie.tokenOf(body, cookies));
    if (body.cookie === true) void reply.header('Set-Cookie', this.cookie.valueOf());
  }

  @Get('auth/me')
  @ApiTags('account')
  @TokenScope('profile')
  @Access('required')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'Get my account',
    description: 'Includes what only the owner sees: e-mail address and settings.',
  })
  @ApiOkResponse({ type: AccountDto })
  @ApiProblems('user_not_found')
  async getMe(@CurrentViewer() viewer: Viewer, @Res({ passthrough: true }) reply: FastifyReply): Promise<AccountDto> {
    const account = await this.auth.me(viewer._id);
    void reply.header('ETag', ownUserEtag(account));
    return account;
  }

  @Put('auth/password')
  @ApiTags('account')
  @NoContent()
  @Access('required')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Change my password',
    description:
      'Revokes all other sessions and sends the owner a mail. A wrong `currentPassword` is named in `errors` of `invalid_credentials`.',
  })
  @ApiProblems(...REAUTHENTICATION_ERRORS)
  async changePassword(
    @CurrentViewer() viewer: Viewer,
    @Body() body: ChangePasswordBody,
    @Client() client: ClientInfo,
  ): Promise<void> {
    await this.passwords.change(viewer, body, client);
  }

  @Delete('users/me')
  @ApiTags('account')
  @NoContent()
  @Access('required')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Delete my account',
    description:
      'Deletes the profile, posts, comments, votes, saves and follows for good, and revokes all tokens. The username stays reserved; the e-mail address can be used again. A wrong `password` is named in `errors` of `invalid_credentials`.',
  })
  @ApiProblems(...REAUTHENTICATION_ERRORS, 'user_not_found', 'last_admin')
  async deleteAccount(
    @CurrentViewer() viewer: Viewer,
    @Body() body: OwnPasswordBody,
    @Client() client: ClientInfo,
  ): Promise<void> {
    await this.accounts.deleteOwn(viewer, body.password, client);
  }
}
