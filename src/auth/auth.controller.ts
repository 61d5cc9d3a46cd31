import { Body, Controller, Get, Header, HttpCode, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { LOCATION, Location } from '../platform/http/openapi/location.decorator.js';
import type { Viewer } from '../platform/access/viewer.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { ownUserEtag } from '../users/user.dto.js';
import { AuthService } from './auth.service.js';
import { Client, type ClientInfo } from './client.decorator.js';
import { AccountDto, SignedInDto } from './dto/account.dto.js';
import { LoginBody, RefreshBody, RegisterBody } from './dto/sign-in.dto.js';

@ApiTags('auth')
@Controller('auth')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Post('register')
  @Access('public')
  @RateLimit('auth')
  @Header('Cache-Control', 'no-store')
  @Location<SignedInDto>((body) => `/v1/users/${body.user.username}`)
  @ApiOperation({
    summary: 'Create an account and sign in',
    description: 'Answers with tokens and the account; `Location` is the public profile.',
  })
  @ApiCreatedResponse({ type: SignedInDto, headers: LOCATION })
  @ApiProblems('username_taken', 'email_taken')
  async register(@Body() body: RegisterBody, @Client() client: ClientInfo): Promise<SignedInDto> {
    return this.auth.register(body, client);
  }

  @Post('login')
  @HttpCode(200)
  @Access('public')
  @RateLimit('auth')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Sign in with a username or an e-mail address',
    description: 'An unknown account and a wrong password get the same answer after the same time.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiProblems('invalid_credentials')
  async login(@Body() body: LoginBody, @Client() client: ClientInfo): Promise<SignedInDto> {
    return this.auth.login(body, client);
  }

  @Post('refresh')
  @HttpCode(200)
  @Access('public')
  @RateLimit('auth')
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

  @Post('logout')
  @HttpCode(204)
  @Access('public')
  @ApiOperation({
    summary: 'Sign out',
    description:
      'Ends the sign-in the refresh token belongs to; an unknown token answers the same. An access token lives on until it ' +
      'expires, at most some minutes.',
  })
  @ApiNoContentResponse()
  async logout(@Body() body: RefreshBody): Promise<void> {
    await this.auth.logout(body.refreshToken);
  }

  @Get('me')
  @Access('required')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'My account', description: 'With what others do not see: e-mail address and settings.' })
  @ApiOkResponse({ type: AccountDto })
  @ApiProblems('user_not_found')
  async getMe(
    @CurrentViewer() viewer: Viewer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccountDto> {
    const account = await this.auth.me(new ObjectId(viewer.id));
    void reply.header('ETag', ownUserEtag(account));
    return account;
  }
}
