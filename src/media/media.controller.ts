import { Body, Controller, Delete, Get, Header, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { ReceivedFile, AcceptsFile } from '../platform/http/accepts-file.decorator.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { DeleteMediaQuery, ImportMedia, UpdateMedia } from './dto/media-input.dto.js';
import { MediaDto, MediaPageDto } from './dto/media.dto.js';
import { KeyedUploadsService } from './keyed-uploads.service.js';
import { MAX_UPLOAD_BYTES } from './media-limits.js';
import { MediaUploadsService } from './media-uploads.service.js';
import { toMedia } from './media-view.js';
import type { Media } from './media.schema.js';
import { MediaService } from './media.service.js';

const MediaId = IdParam({ name: 'id', description: 'of the image', example: EXAMPLE.mediaId });
const PROCESSED =
  'The image is decoded and encoded again: upright, in sRGB, without EXIF, GPS and other metadata; the same bytes return the same ' +
  'image. At most 50 million pixels (all frames counted), 16,383 on a side, 200 frames. An image that no post, draft, collection or ' +
  'profile uses for 24 hours is deleted.';

/** Images of an account. */
@ApiTags('media')
@Controller('media')
@TokenScope('read', 'posts')
export class MediaController {
  constructor(
    private readonly media: MediaService,
    private readonly uploads: MediaUploadsService,
    private readonly keyed: KeyedUploadsService,
  ) {}

  @Post()
  @Idempotent()
  @RateLimit('uploads')
  @AcceptsFile('file', MAX_UPLOAD_BYTES, 'JPEG, PNG, WebP, AVIF or GIF, by its content')
  @ApiOperation({ summary: 'Upload an image', description: PROCESSED })
  @ApiCreatedResponse({ type: MediaDto, headers: headerRefs('Location') })
  @ApiProblems('invalid_image', 'media_quota', 'media_unavailable', 'user_not_found', 'content_rejected')
  async uploadMedia(
    @WriteRequest() write: WriteRequest,
    @ReceivedFile() path: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MediaDto> {
    return this.sendCreated(reply, await this.keyed.upload(write, path));
  }

  @Post('import')
  @RateLimit('uploads')
  @ApiOperation({ summary: 'Import an image from a URL', description: PROCESSED })
  @ApiCreatedResponse({ type: MediaDto, headers: headerRefs('Location') })
  @ApiProblems('invalid_image', 'import_failed', 'media_quota', 'media_unavailable', 'user_not_found')
  @ApiProblems('content_rejected')
  async importMedia(
    @CurrentViewer() viewer: Viewer,
    @Body() { url }: ImportMedia,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<MediaDto> {
    return this.sendCreated(reply, await this.uploads.import(viewer, url));
  }

  @Get('mine')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'List my images', description: 'Newest first, including unused ones.' })
  @ApiOkResponse({ type: MediaPageDto })
  async listMyMedia(@CurrentViewer() viewer: Viewer, @Query() query: PageQuery): Promise<Page<MediaDto>> {
    const { data, page } = await this.media.list(viewer, query);
    return { data: data.map((row) => this.show(row)), page };
  }

  @NewcomerLimit('edits')
  @Patch(':id')
  @ApiOperation({
    summary: 'Update an image',
    description: 'Sets the description that clients offer as `alt`.',
  })
  @ApiOkResponse({ type: MediaDto })
  @ApiProblems('media_not_found')
  async updateMedia(
    @MediaId id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Body() { alt }: UpdateMedia,
  ): Promise<MediaDto> {
    return this.show(await this.media.setAlt(id, viewer, alt));
  }

  @ForRestricted('removal')
  @Delete(':id')
  @NoContent('deleted')
  @ApiOperation({
    summary: 'Delete an image',
    description:
      'Its files return 404 from then on; caches between client and server may keep copies. An image in use needs `force=true`.',
  })
  @ApiProblems('media_not_found', 'media_in_use')
  deleteMedia(
    @MediaId id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Query() { force }: DeleteMediaQuery,
  ): Promise<void> {
    return this.media.delete(id, viewer, force);
  }

  private sendCreated(reply: FastifyReply, row: Media): MediaDto {
    const media = this.show(row);
    void reply.header('Location', media.url);
    return media;
  }

  private show(row: Media): MediaDto {
    return toMedia(row);
  }
}
