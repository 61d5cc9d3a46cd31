import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { USERNAME_PARAM } from '../users/username.js';
import { BlocksService } from './blocks.service.js';
import {
  BlockDto,
  type BlockedUserDto,
  BlockPage,
  MuteBody,
  MuteDto,
  type MutedUserDto,
  MutePage,
} from './dto/block.dto.js';

@ApiTags('blocks')
@Access('required')
@Controller('users')
@TokenScope('read', 'interactions')
export class BlocksController {
  constructor(private readonly blocks: BlocksService) {}

  @ForRestricted('self')
  @Put(':username/block')
  @ApiOperation({
    summary: 'Block an account',
    description:
      'Idempotent. Ends the follows between you. Neither of you can follow the other, or vote and comment on what the other has published; lists omit it for both. An account blocks at most 2,000 others.',
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: BlockDto })
  @ApiProblems('block_self', 'user_not_found', 'too_many_blocks')
  blockUser(@CurrentViewer() viewer: Viewer, @Param('username') username: string): Promise<BlockDto> {
    return this.blocks.block(viewer, username);
  }

  @ForRestricted('self')
  @Delete(':username/block')
  @ApiOperation({ summary: 'Unblock an account', description: 'Idempotent. Restores no follow.' })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: BlockDto })
  @ApiProblems('block_self', 'user_not_found')
  unblockUser(@CurrentViewer() viewer: Viewer, @Param('username') username: string): Promise<BlockDto> {
    return this.blocks.unblock(viewer, username);
  }

  @ForRestricted('self')
  @Put(':username/mute')
  @ApiOperation({
    summary: 'Mute an account',
    description:
      'Idempotent. Activities of the account create no notifications for you, and your lists omit it. The account is not informed. An account mutes at most 2,000 others.',
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: MuteDto })
  @ApiProblems('block_self', 'invalid_expiry', 'user_not_found', 'too_many_mutes')
  muteUser(
    @CurrentViewer() viewer: Viewer,
    @Param('username') username: string,
    @Body() { until }: MuteBody,
  ): Promise<MuteDto> {
    return this.blocks.mute(viewer, username, until);
  }

  @ForRestricted('self')
  @Delete(':username/mute')
  @ApiOperation({ summary: 'Unmute an account', description: 'Idempotent.' })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: MuteDto })
  @ApiProblems('block_self', 'user_not_found')
  unmuteUser(@CurrentViewer() viewer: Viewer, @Param('username') username: string): Promise<MuteDto> {
    return this.blocks.unmute(viewer, username);
  }

  @Get('me/blocks')
  @ApiOperation({ summary: 'List accounts that I block', description: 'Most recent first.' })
  @ApiOkResponse({ type: BlockPage })
  listBlocks(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<BlockedUserDto>> {
    return this.blocks.listBlocks(viewer, query);
  }

  @Get('me/mutes')
  @ApiOperation({ summary: 'List accounts that I have muted', description: 'Most recent first.' })
  @ApiOkResponse({ type: MutePage })
  listMutes(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<MutedUserDto>> {
    return this.blocks.listMutes(viewer, query);
  }
}
