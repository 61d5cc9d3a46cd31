import { Body, Controller, Delete, Get, Header, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { Client, type ClientInfo } from '../client-info.js';
import { REAUTHENTICATION_ERRORS } from '../password-rules.js';
import { Access, CurrentViewer } from '../../platform/access/access.decorator.js';
import { TokenScope } from '../../platform/access/token-scope.js';
import { ForRestricted } from '../../platform/access/verified-email.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { ApiProblems } from '../../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../../platform/http/openapi/no-content.decorator.js';
import { IdParam } from '../../platform/http/openapi/id-param.decorator.js';
import { Idempotent } from '../../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../../platform/idempotency/write-request.js';
import { RateLimit } from '../../platform/rate-limit/rate-limit.decorator.js';
import { ApiTokensService } from './api-tokens.service.js';
import { CreateApiToken } from './dto/api-token-input.dto.js';
import { ApiTokenListDto, NewApiTokenDto, toApiToken } from './dto/api-token.dto.js';

const TokenId = IdParam({ name: 'id', description: 'of the token', example: '6650c3a2f1d2b3c4d5e6f70b' });

/** API tokens for the programs of an account. Creating, listing and revoking them requires a session. */
@ForRestricted()
@ApiTags('api-tokens')
@Controller('auth/tokens')
@Access('required')
@TokenScope('account')
export class ApiTokensController {
  constructor(private readonly tokens: ApiTokensService) {}

  @Post()
  @Idempotent({ isSecret: true })
  @RateLimit('auth')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create an API token',
    description:
      'Grants the access of its scopes, never to account settings. At most 20; the token is shown only once. Requires the password (or a recent sign-in where there is none); the owner gets a mail.',
  })
  @ApiCreatedResponse({ type: NewApiTokenDto })
  @ApiProblems(...REAUTHENTICATION_ERRORS, 'too_many_api_tokens', 'invalid_expiry')
  createApiToken(
    @WriteRequest() write: WriteRequest,
    @Body() draft: CreateApiToken,
    @Client() client: ClientInfo,
  ): Promise<NewApiTokenDto> {
    return this.tokens.create(write, draft, client);
  }

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'List my API tokens', description: 'Oldest first, without the tokens themselves.' })
  @ApiOkResponse({ type: ApiTokenListDto })
  async listApiTokens(@CurrentViewer() viewer: Viewer): Promise<ApiTokenListDto> {
    return { data: (await this.tokens.list(viewer)).map(toApiToken) };
  }

  @Delete(':id')
  @NoContent()
  @ApiOperation({ summary: 'Revoke an API token', description: 'Every host rejects it within 1.5 seconds.' })
  @ApiProblems('api_token_not_found')
  async revokeApiToken(@CurrentViewer() viewer: Viewer, @TokenId id: ObjectId): Promise<void> {
    await this.tokens.revoke(viewer, id);
  }
}
