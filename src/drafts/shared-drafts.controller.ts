import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { EXAMPLE } from '../common/examples.js';
import { Access } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { DraftSharingService } from './draft-sharing.service.js';
import { SharedDraftDto } from './draft-view.js';

/** Drafts for readers with a share link. */
@ApiTags('drafts')
@Controller('shared-drafts')
@TokenScope('read', 'posts')
export class SharedDraftsController {
  constructor(private readonly sharing: DraftSharingService) {}

  @Get(':key')
  @Access('public')
  @Header('Cache-Control', 'private, no-store')
  @ApiOperation({ summary: 'Get a shared draft', description: 'Readable by anyone with the link.' })
  @ApiParam({
    name: 'key',
    description: 'from the link',
    schema: {
      type: 'string',
      minLength: 43,
      maxLength: 43,
      pattern: '^[A-Za-z0-9_-]{43}$',
      example: EXAMPLE.draftKey,
    },
  })
  @ApiOkResponse({ type: SharedDraftDto })
  @ApiProblems('draft_not_found')
  getSharedDraft(@Param('key') key: string): Promise<SharedDraftDto> {
    return this.sharing.get(key);
  }
}
