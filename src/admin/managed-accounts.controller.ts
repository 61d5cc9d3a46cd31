import { Body, Controller, Get, Header, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { AccountsService } from '../auth/accounts.service.js';
import { Client, type ClientInfo } from '../auth/client-info.js';
import { ChangeRoleBody } from '../auth/role.dto.js';
import { REAUTHENTICATION_ERRORS } from '../auth/password-rules.js';
import { EXAMPLE } from '../common/examples.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import {
  ManagedAccountDto,
  ManagedAccountPage,
  ManagedAccountQuery,
  ManagedAccountsQuery,
} from './dto/managed-account.dto.js';
import { RelatedAccountsDto } from './dto/related-account.dto.js';
import { ManagedAccountsService } from './managed-accounts.service.js';
import { RelatedAccountsService } from './related-accounts.service.js';

const AccountId = IdParam({ name: 'id', description: 'of the account', example: EXAMPLE.userIds[1] });

/** Accounts and their roles. */
@ApiTags('moderation')
@Controller('admin/users')
@TokenScope('account')
export class ManagedAccountsController {
  constructor(
    private readonly managed: ManagedAccountsService,
    private readonly accounts: AccountsService,
    private readonly related: RelatedAccountsService,
  ) {}

  @Get()
  @Access('required', 'moderator')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List accounts',
    description: 'For moderators. All accounts with their standing, without e-mail addresses.',
  })
  @ApiOkResponse({ type: ManagedAccountPage })
  async listAccounts(@Query() query: ManagedAccountsQuery): Promise<ManagedAccountPage> {
    return this.managed.list(query);
  }

  @Get(':id')
  @Access('required', 'moderator')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Get an account',
    description: 'For moderators. Admins get the e-mail address with `email=true`, and the log records it.',
  })
  @ApiOkResponse({ type: ManagedAccountDto })
  @ApiProblems('user_not_found')
  async getAccount(
    @CurrentViewer() viewer: Viewer,
    @AccountId id: ObjectId,
    @Query() { email }: ManagedAccountQuery,
  ): Promise<ManagedAccountDto> {
    return this.managed.get(viewer, id, email);
  }

  @Get(':id/related')
  @Access('required', 'moderator')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'List accounts with the mailbox or a network of an account',
    description:
      'For moderators. The latest 100, without addresses. Networks are those of registrations in the last 30 days and of the latest sessions of the account; many people may share one.',
  })
  @ApiOkResponse({ type: RelatedAccountsDto })
  @ApiProblems('user_not_found')
  async listRelatedAccounts(@AccountId id: ObjectId): Promise<RelatedAccountsDto> {
    return { data: await this.related.list(id) };
  }

  @Put(':id/role')
  @NoContent()
  @Access('required', 'admin')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Change the role of an account',
    description:
      'For admins. Requires your password, or a recent sign-in if you have no password. A lower role revokes all sessions and API tokens of the account; a higher one takes effect with its next access token.',
  })
  @ApiProblems(...REAUTHENTICATION_ERRORS, 'user_not_found', 'last_admin')
  async changeRole(
    @CurrentViewer() viewer: Viewer,
    @AccountId id: ObjectId,
    @Body() body: ChangeRoleBody,
    @Client() client: ClientInfo,
  ): Promise<void> {
    await this.accounts.changeRole(viewer, id, body, client);
  }
}
