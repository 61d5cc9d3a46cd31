import { Body, Controller, Delete, Get, Header, HttpCode, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ForRestricted, Publishes } from '../platform/access/verified-email.js';
import type { Viewer } from '../platform/access/viewer.js';
import { AcceptsFile, ReceivedFile } from '../platform/http/accepts-file.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { ImportDto, ImportListDto, toImport } from './dto/import.dto.js';
import { ImportAddress } from './dto/import-address.dto.js';
import type { ArchiveImport } from './import.schema.js';
import { ImportsService } from './imports.service.js';
import { MAX_ARCHIVE_BYTES } from './open-archive.js';

const ImportId = IdParam({ name: 'id', description: 'of the import', example: EXAMPLE.importId });

/** Archives of other platforms, pages and feeds, whose posts become drafts. */
@ApiTags('drafts')
@Controller('users/me/imports')
@TokenScope('read', 'posts')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  @Post()
  @RateLimit('uploads')
  @HttpCode(202)
  @AcceptsFile('file', MAX_ARCHIVE_BYTES, 'a ZIP, or one file of an export')
  @ApiOperation({
    summary: 'Import an archive of another platform',
    description:
      'Its posts become drafts in the background, with tags, images and the time of their publication. The format is found by content. One at a time, three a day (UTC). A post that an earlier import brought is not repeated.',
  })
  @ApiAcceptedResponse({ type: ImportDto, headers: headerRefs('Location') })
  @ApiProblems('invalid_archive', 'import_running', 'too_many_imports', 'user_not_found')
  async createImport(
    @CurrentViewer() viewer: Viewer,
    @ReceivedFile() path: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportDto> {
    return accepted(reply, await this.imports.create(viewer, path));
  }

  @Post('address')
  @RateLimit('uploads')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Import a page or a feed',
    description:
      'The article of a page, or each post of a feed (RSS, Atom), becomes a draft in the background. The server reads only this address and the images. The limits are those of archives.',
  })
  @ApiAcceptedResponse({ type: ImportDto, headers: headerRefs('Location') })
  @ApiProblems('import_failed', 'import_running', 'too_many_imports', 'user_not_found')
  async importAddress(
    @CurrentViewer() viewer: Viewer,
    @Body() { address }: ImportAddress,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportDto> {
    return accepted(reply, await this.imports.createFromAddress(viewer, address));
  }

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'List my imports', description: 'Latest first, of the last 30 days.' })
  @ApiOkResponse({ type: ImportListDto })
  async listImports(@CurrentViewer() viewer: Viewer): Promise<ImportListDto> {
    return { data: (await this.imports.list(viewer)).map(toImport) };
  }

  @Get(':id')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'Get an import', description: 'With its progress, and what could not be taken over.' })
  @ApiOkResponse({ type: ImportDto })
  @ApiProblems('import_not_found')
  async getImport(@CurrentViewer() viewer: Viewer, @ImportId id: ObjectId): Promise<ImportDto> {
    return toImport(await this.imports.get(viewer, id));
  }

  @Delete(':id')
  @ForRestricted('removal')
  @ApiOperation({
    summary: 'Delete an import',
    description: 'Stops it, and deletes its drafts that are neither published nor scheduled.',
  })
  @NoContent()
  @ApiProblems('import_not_found')
  deleteImport(@CurrentViewer() viewer: Viewer, @ImportId id: ObjectId): Promise<void> {
    return this.imports.delete(viewer, id);
  }

  @Post(':id/publish')
  @Publishes()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Publish the drafts of an import',
    description:
      'Those that were published elsewhere, with those times, in the background: they are listed at these times, and no account is notified. Links between them lead to the new posts.',
  })
  @ApiAcceptedResponse({ type: ImportDto })
  @ApiProblems('import_not_found', 'import_running', 'newcomer_limit')
  async publishImport(@CurrentViewer() viewer: Viewer, @ImportId id: ObjectId): Promise<ImportDto> {
    return toImport(await this.imports.publish(viewer, id));
  }
}

function accepted(reply: FastifyReply, row: ArchiveImport): ImportDto {
  void reply.header('Location', `/v1/users/me/imports/${row._id.toHexString()}`);
  return toImport(row);
}
