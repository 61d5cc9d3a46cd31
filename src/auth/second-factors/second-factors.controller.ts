import { Body, Controller, Delete, Get, Header, HttpCode, Post, Put } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SignedInDto } from '../account.dto.js';
import { Client, type ClientInfo } from '../client-info.js';
import { REAUTHENTICATION_ERRORS, OwnPasswordBody } from '../password-rules.js';
import { UsesRefreshCookie } from '../refresh-cookie.js';
import { Access, CurrentViewer } from '../../platform/access/access.decorator.js';
import { TokenScope } from '../../platform/access/token-scope.js';
import { ForRestricted } from '../../platform/access/verified-email.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { ApiProblems } from '../../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../../platform/http/openapi/no-content.decorator.js';
import { RateLimit } from '../../platform/rate-limit/rate-limit.decorator.js';
import {
  EnableTotpBody,
  ProvenBody,
  RecoveryCodesDto,
  SecondFactorBody,
  SecondFactorStateDto,
  TotpDto,
} from './dto/second-factor.dto.js';
import { SecondFactorsService } from './second-factors.service.js';
import { SecondStepService } from './second-step.service.js';

/** An authenticator app as second factor. */
@ForRestricted()
@TokenScope('account')
@ApiTags('second-factors')
@Controller('auth')
export class SecondFactorsController {
  constructor(
    private readonly factors: SecondFactorsService,
    private readonly secondStep: SecondStepService,
  ) {}

  @Post('login/second-factor')
  @HttpCode(200)
  @Access('public')
  @RateLimit('auth')
  @UsesRefreshCookie()
  @ApiOperation({
    summary: 'Sign in with a second factor',
    description:
      'Send the `mfaToken` of the first request and a code of the authenticator app or a recovery code. A code works once; five wrong ones void the token.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiProblems('invalid_mfa_token', 'invalid_credentials', 'account_banned', 'invalid_code', 'second_factor_off')
  signInWithSecondFactor(@Body() body: SecondFactorBody, @Client() client: ClientInfo): Promise<SignedInDto> {
    return this.secondStep.signIn(body, client);
  }

  @Get('totp')
  @Access('required')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'Get the state of my second factor', description: 'Never the secret or a recovery code.' })
  @ApiOkResponse({ type: SecondFactorStateDto })
  getTotp(@CurrentViewer() viewer: Viewer): Promise<SecondFactorStateDto> {
    return this.factors.state(viewer);
  }

  @Post('totp')
  @Access('required')
  @RateLimit('auth')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create an authenticator secret',
    description:
      'Returns a secret for the app (RFC 6238: SHA-1, 6 digits, 30 seconds). It takes effect when `PUT /v1/auth/totp` confirms a code within ten minutes. Another request replaces the secret.',
  })
  @ApiCreatedResponse({ type: TotpDto })
  @ApiProblems(...REAUTHENTICATION_ERRORS, 'user_not_found', 'second_factor_on')
  startTotp(
    @CurrentViewer() viewer: Viewer,
    @Body() { password }: OwnPasswordBody,
    @Client() client: ClientInfo,
  ): Promise<TotpDto> {
    return this.factors.start(viewer, password, client);
  }

  @Put('totp')
  @Access('required')
  @RateLimit('auth')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Enable the authenticator app',
    description:
      'Send a code of the app. From then on, signing in requires a code. Returns ten recovery codes, which are shown only once; the owner gets a mail.',
  })
  @ApiOkResponse({ type: RecoveryCodesDto })
  @ApiProblems('invalid_code', 'user_not_found', 'second_factor_on', 'second_factor_off')
  async enableTotp(
    @CurrentViewer() viewer: Viewer,
    @Body() { code }: EnableTotpBody,
    @Client() client: ClientInfo,
  ): Promise<RecoveryCodesDto> {
    return { recoveryCodes: await this.factors.enable(viewer, code, client) };
  }

  @Delete('totp')
  @NoContent()
  @Access('required')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Disable the authenticator app',
    description:
      'Requires the password (or a recent sign-in where there is none) and a code of the app or a recovery code. The owner gets a mail.',
  })
  @ApiProblems(...REAUTHENTICATION_ERRORS, 'invalid_code', 'second_factor_off')
  async disableTotp(
    @CurrentViewer() viewer: Viewer,
    @Body() body: ProvenBody,
    @Client() client: ClientInfo,
  ): Promise<void> {
    await this.factors.disable(viewer, body, client);
  }

  @Post('totp/recovery-codes')
  @HttpCode(200)
  @Access('required')
  @RateLimit('auth')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Replace my recovery codes',
    description:
      'Requires the password (or a recent sign-in where there is none) and a code of the app or a recovery code. The earlier codes are void. The owner gets a mail.',
  })
  @ApiOkResponse({ type: RecoveryCodesDto })
  @ApiProblems(...REAUTHENTICATION_ERRORS, 'invalid_code', 'second_factor_off')
  async renewRecoveryCodes(
    @CurrentViewer() viewer: Viewer,
    @Body() body: ProvenBody,
    @Client() client: ClientInfo,
  ): Promise<RecoveryCodesDto> {
    return { recoveryCodes: await this.factors.renewRecoveryCodes(viewer, body, client) };
  }
}
