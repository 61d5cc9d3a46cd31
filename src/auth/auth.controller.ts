import { Body, Controller, Delete, Get, Header, HttpCode, Post, Put, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ObjectId } from 'mongodb';
import { Withdraws } from '../platform/cache/withdraws.decorator.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForUnverified } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import type { Viewer } from '../platform/access/viewer.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { ownUserEtag } from '../users/user.dto.js';
import { AccountDto, SignedInDto } from './account.dto.js';
import { AccountsService } from './accounts.service.js';
import { AuthService } from './auth.service.js';
import { Client, type ClientInfo } from './client-info.js';
import { PROOF_PROBLEMS, OwnPasswordBody } from './password-rules.js';
import { ChangePasswordBody, LoginBody, RefreshBody, RegisterBody } from './dto/sign-in.dto.js';

/** Signing in and out; the end of an account belongs here, because it needs the password. */
@Controller()
@ForUnverified()
@TokenScope('account')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly accounts: AccountsService,
  ) {}

  @Post('auth/register')
  @ApiTags('sign-in')
  @Access('public')
  @RateLimit('auth')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create an account and sign in',
    description:
      'Answers with tokens and the account; `Location` is the public profile. A mail to verify the address is sent. One network makes a ' +
      'few accounts an hour (`rate_limited`).',
  })
  @ApiCreatedResponse({ type: SignedInDto, headers: headerRefs('Location') })
  @ApiProblems('username_taken', 'email_taken')
  async register(
    @Body() body: RegisterBody,
    @Client() client: ClientInfo,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedInDto> {
    const signedIn = await this.auth.register(body, client);
    void reply.header('Location', `/v1/users/${signedIn.user.username}`);
    return signedIn;
  }

  @Post('auth/login')
  @ApiTags('sign-in')
  @HttpCode(200)
  @Access('public')
  @RateLimit('auth')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Sign in with a username or an e-mail address',
    description:
      'An unknown account and a wrong password get the same answer after the same time. Where the account has a second factor, the ' +
      'right password is answered `second_factor_required` with an `mfaToken` for `POST /v1/auth/login/second-factor`.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiProblems('invalid_credentials', 'second_factor_required')
  async login(@Body() body: LoginBody, @Client() client: ClientInfo): Promise<SignedInDto> {
    return this.auth.login(body, client);
  }

  @Post('auth/refresh')
  @ApiTags('sign-in')
  @HttpCode(200)
  @Access('public')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Exchange a refresh token for new tokens',
    description:
      'A refresh token is exchanged once. Sent again within 30 seconds, because the answer was lost, it gives the same next refresh ' +
      'token. Sent later, or after the next one was used, it ends the sign-in it belongs to, with every token that followed from it.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiProblems('invalid_refresh_token')
  async refreshTokens(@Body() body: RefreshBody, @Client() client: ClientInfo): Promise<SignedInDto> {
    return this.auth.refresh(body.refreshToken, client);
  }

  @Withdraws()
  @Post('auth/logout')
  @ApiTags('sign-in')
  @HttpCode(204)
  @Access('public')
  @ApiOperation({
    summary: 'Sign out',
    description:
      'Ends the sign-in the refresh token belongs to, with its access tokens; an unknown token answers the same.',
  })
  @ApiNoContentResponse()
  async logout(@Body() body: RefreshBody): Promise<void> {
    await this.auth.logout(body.refreshToken);
  }

  @Get('auth/me')
  @ApiTags('account')
  @TokenScope('profile')
  @Access('required')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'My account', description: 'With what others do not see: e-mail address and settings.' })
  @ApiOkResponse({ type: AccountDto })
  @ApiProblems('user_not_found')
  async getMe(@CurrentViewer() viewer: Viewer, @Res({ passthrough: true }) reply: FastifyReply): Promise<AccountDto> {
    const account = await this.auth.me(new ObjectId(viewer.id));
    void reply.header('ETag', ownUserEtag(account));
    return account;
  }

  @Withdraws()
  @Put('auth/password')
  @ApiTags('account')
  @HttpCode(204)
  @Access('required')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Change my password',
    description:
      'Ends every sign-in but the one of this access token, with their access and refresh tokens, and tells the owner by mail. ' +
      'Where `currentPassword` is wrong, the `errors` of `invalid_credentials` name it.',
  })
  @ApiNoContentResponse()
  @ApiProblems(...PROOF_PROBLEMS)
  async changePassword(
    @CurrentViewer() viewer: Viewer,
    @Body() body: ChangePasswordBody,
    @Client() client: ClientInfo,
  ): Promise<void> {
    await this.accounts.changePassword(viewer, body, client);
  }

  @Withdraws()
  @Delete('users/me')
  @ApiTags('account')
  @HttpCode(204)
  @Access('required')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'End my account',
    description:
      'For good: with the answer the profile, the posts, comments, votes, saves and follows of the account are gone from every ' +
      'read and every token has ended (of an account with tens of thousands of them the rest follows in the background). The ' +
      'username stays taken; the e-mail address can be used again. Where `password` is wrong, the `errors` of ' +
      '`invalid_credentials` name it.',
  })
  @ApiNoContentResponse()
  @ApiProblems(...PROOF_PROBLEMS, 'user_not_found')
  async deleteAccount(
    @CurrentViewer() viewer: Viewer,
    @Body() body: OwnPasswordBody,
    @Client() client: ClientInfo,
  ): Promise<void> {
    await this.accounts.endOwn(viewer, body.password, client);
  }
}
