import { Controller, Get, Header, Res, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { Access } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { sendFile } from '../platform/http/file-response.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { CONTENT, FILE_POLICY } from './media-files.controller.js';
import { MediaModerationService } from './media-moderation.service.js';

const MediaId = IdParam({ name: 'id', description: 'of the image', example: EXAMPLE.mediaId });

/** Files of images for moderators. */
@ApiTags('moderation')
@Controller('moderation/media')
@Access('required', 'moderator')
@TokenScope('account')
export class MediaModerationController {
  constructor(private readonly media: MediaModerationService) {}

  @Get(':id/content')
  @Header('Cache-Control', 'private, no-store')
  @Header('Content-Security-Policy', FILE_POLICY)
  @ApiOperation({
    summary: 'Download an image for moderation',
    description: 'For moderators. The original of an image of an account, also if a moderator removed it.',
  })
  @ApiOkResponse({ content: CONTENT })
  @ApiResponse({ status: 206, description: 'the requested range', content: CONTENT })
  @ApiProblems('media_not_found', 'media_unavailable', 'range_not_satisfiable')
  async getModeratedMedia(
    @MediaId id: ObjectId,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    return sendFile(reply, await this.media.openOriginal(id));
  }
}
