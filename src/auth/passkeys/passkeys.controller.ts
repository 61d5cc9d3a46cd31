import { Body, Controller, Delete, Get, Header, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
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
import { IdParam } from '../../platform/http/openapi/id-param.decorator.js';
import { RateLimit } from '../../platform/rate-limit/rate-limit.decorator.js';
import {
  AddPasskeyBody,
  PasskeyCreationOptionsDto,
  PasskeyDto,
  PasskeyLoginBody,
  PasskeyRequestOptionsDto,
  PasskeysDto,
  RenamePasskeyBody,
} from './dto/passkey.dto.js';
import { PasskeySignInService } from './passkey-sign-in.service.js';
import { PasskeysService } from './passkeys.service.js';

const PasskeyId = IdParam({ name: 'id', description: 'id of the passkey', example: '64b7f0c2a4d1e83f5c9b0a14' });

/** Passkeys (WebAuthn). */
@ForRestricted()
@TokenScope('account')
@ApiTags('passkeys')
@Controller('auth/passkeys')
export class PasskeysController {
  constructor(
    private readonly passkeys: PasskeysService,
    private readonly signIns: PasskeySignInService,
  ) {}

  @Post('login/options')
  @HttpCode(200)
  @Access('public')
  @RateLimit('auth')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create passkey sign-in options',
    description:
      'Options for `navigator.credentials.get`, by `PublicKeyCredential.parseRequestOptionsFromJSON`. Valid once, for five minutes.',
  })
  @ApiOkResponse({ type: PasskeyRequestOptionsDto })
  createPasskeyLoginOptions(): Promise<PasskeyRequestOptionsDto> {
    return this.signIns.createOptions();
  }

  @Post('login')
  @HttpCode(200)
  @Access('public')
  @RateLimit('auth')
  @UsesRefreshCookie()
  @ApiOperation({
    summary: 'Sign in with a passkey',
    description: 'Send the result of `credential.toJSON()`. A passkey counts as both factors: no code is needed.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiProblems('invalid_credentials', 'account_banned')
  signInWithPasskey(@Body() body: PasskeyLoginBody, @Client() client: ClientInfo): Promise<SignedInDto> {
    return this.signIns.signIn(body, client);
  }

  @Post('options')
  @HttpCode(200)
  @Access('required')
  @RateLimit('auth')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create passkey options',
    description:
      'Options for `navigator.credentials.create`, by `PublicKeyCredential.parseCreationOptionsFromJSON`. Valid once, for five minutes.',
  })
  @ApiOkResponse({ type: PasskeyCreationOptionsDto })
  @ApiProblems(...REAUTHENTICATION_ERRORS, 'user_not_found', 'too_many_passkeys')
  createPasskeyOptions(
    @CurrentViewer() viewer: Viewer,
    @Body() { password }: OwnPasswordBody,
    @Client() client: ClientInfo,
  ): Promise<PasskeyCreationOptionsDto> {
    return this.passkeys.createOptions(viewer, password, client);
  }

  @Post()
  @Access('required')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Add a passkey',
    description: 'Send the result of `credential.toJSON()`. An account has at most 20. The owner gets a mail.',
  })
  @ApiCreatedResponse({ type: PasskeyDto })
  @ApiProblems('invalid_passkey', 'user_not_found', 'too_many_passkeys')
  addPasskey(@CurrentViewer() viewer: Viewer, @Body() body: AddPasskeyBody): Promise<PasskeyDto> {
    return this.passkeys.add(viewer, body);
  }

  @Get()
  @Access('required')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List my passkeys',
    description: 'All passkeys of the account, with the time of their last use.',
  })
  @ApiOkResponse({ type: PasskeysDto })
  async listPasskeys(@CurrentViewer() viewer: Viewer): Promise<PasskeysDto> {
    return { data: await this.passkeys.list(viewer) };
  }

  @Patch(':id')
  @Access('required')
  @ApiOperation({ summary: 'Rename a passkey', description: 'Only its owner sees the name.' })
  @ApiOkResponse({ type: PasskeyDto })
  @ApiProblems('invalid_id', 'passkey_not_found')
  renamePasskey(
    @CurrentViewer() viewer: Viewer,
    @PasskeyId id: ObjectId,
    @Body() { name }: RenamePasskeyBody,
  ): Promise<PasskeyDto> {
    return this.passkeys.rename(viewer, id, name);
  }

  @Delete(':id')
  @NoContent()
  @Access('required')
  @ApiOperation({
    summary: 'Delete a passkey',
    description: 'It can no longer sign in. The last sign-in method cannot be deleted. The owner gets a mail.',
  })
  @ApiProblems('invalid_id', 'passkey_not_found', 'last_sign_in_method')
  async deletePasskey(@CurrentViewer() viewer: Viewer, @PasskeyId id: ObjectId): Promise<void> {
    await this.passkeys.delete(viewer, id);
  }
}
