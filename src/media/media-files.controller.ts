import { Controller, Get, Header, Res, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { EXAMPLE } from '../common/examples.js';
import { CodedError } from '../common/errors.js';
import { Access } from '../platform/access/access.decorator.js';
import { sendFile } from '../platform/http/file-response.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { IgnoresQuery } from '../platform/http/validation/query.guard.js';
import { FILE_KEY } from '../common/own-files.js';
import { FILE_TYPES, type FileKey, parseFileKey } from './file-key.js';
import { MediaService } from './media.service.js';

/** Prevents scripts if the file is opened as a page, for any type that a browser guesses. */
export const FILE_POLICY = "default-src 'none'; sandbox";

const BYTES = { schema: { type: 'string', format: 'binary', maxLength: 100_000_000 } };
export const CONTENT = Object.fromEntries(FILE_TYPES.map((type) => [type, BYTES]));

const RequestedKey = IdParam(
  {
    name: 'key',
    description: 'from the URL',
    example: `${EXAMPLE.mediaId}-${EXAMPLE.mediaSecret}-640.webp`,
    ...{ minLength: 45, maxLength: 51, pattern: FILE_KEY.source },
  },
  { transform: (value: unknown) => parseFileKey(String(value)) ?? refuseKey() },
);

/** Public files of images. */
@ApiTags('media')
@Controller('media/files')
@Access('public')
@IgnoresQuery()
export class MediaFilesController {
  constructor(private readonly media: MediaService) {}

  @Get(':key')
  @Header('Cache-Control', 'public, max-age=31536000, immutable')
  @Header('Content-Security-Policy', FILE_POLICY)
  @ApiOperation({
    summary: 'Download an image file',
    description: 'Immutable. Supports a single byte range; several ranges return the whole file.',
  })
  @ApiOkResponse({ content: CONTENT, headers: headerRefs('ETag') })
  @ApiResponse({ status: 206, description: 'the requested range', content: CONTENT, headers: headerRefs('ETag') })
  @ApiProblems('media_not_found', 'media_unavailable', 'range_not_satisfiable')
  async getMediaFile(
    @RequestedKey key: FileKey,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    return sendFile(reply, await this.media.openFile(key));
  }
}

function refuseKey(): never {
  const message = 'must be the key in the URL of an image';
  throw new CodedError('invalid_id', `key ${message}.`, { fields: [{ field: 'key', message }] });
}
