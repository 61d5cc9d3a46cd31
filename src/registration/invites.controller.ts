import { Body, Controller, Delete, Get, Header, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { CreateInvite, InvitePage, NewInviteDto, toInvite } from './dto/invite.dto.js';
import { InvitesService } from './invites.service.js';

const InviteId = IdParam({ name: 'id', description: 'of the invite', example: '6650c3a2f1d2b3c4d5e6f7b2' });

/** Invites of admins, and of members where the operator allows them. */
@ApiTags('moderation')
@Controller('admin/invites')
@Access('required')
@TokenScope('account')
export class InvitesController {
  constructor(private readonly invites: InvitesService) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create an invite',
    description:
      'For admins, and for members where the operator allows a number of invites. The code is shown only once; the server stores its hash.',
  })
  @ApiCreatedResponse({ type: NewInviteDto })
  @ApiProblems('forbidden', 'too_many_invites', 'invalid_expiry')
  async createInvite(@CurrentViewer() viewer: Viewer, @Body() draft: CreateInvite): Promise<NewInviteDto> {
    return this.invites.create(viewer, draft).then(({ row, code }) => ({ ...toInvite(row), code }));
  }

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List invites',
    description:
      'Latest first, without their codes: my own, or those of all accounts for admins. Expired ones are deleted.',
  })
  @ApiOkResponse({ type: InvitePage })
  async listInvites(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<InvitePage> {
    return this.invites.list(viewer, query).then(({ data, page }) => ({ data: data.map(toInvite), page }));
  }

  @Delete(':id')
  @NoContent()
  @ApiOperation({
    summary: 'Revoke an invite',
    description:
      'My own; admins can revoke any. A used invite stays in the list until it expires, without further uses.',
  })
  @ApiProblems('invite_not_found')
  async revokeInvite(@CurrentViewer() viewer: Viewer, @InviteId id: ObjectId): Promise<void> {
    await this.invites.revoke(viewer, id);
  }
}
