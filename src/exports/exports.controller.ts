import { Body, Controller, Get, Header, HttpCode, Post, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ObjectId } from 'mongodb';
import { TokenBody } from '../auth/mail-token.js';
import { EXAMPLE } from '../common/examples.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { sendFile } from '../platform/http/file-response.js';
import { ExampleNeeds } from '../platform/http/openapi/example-needs.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { ExportDto, ExportFileQuery, ExportListDto, toExport } from './dto/export.dto.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { ExportsService, locationOf } from './exports.service.js';

const ExportId = IdParam({ name: 'id', description: 'of the export', example: EXAMPLE.exportId });
const ZIP = { 'application/zip': { schema: { type: 'string', format: 'binary', maxLength: 10_000_000_000 } } };

/** The data of an account as a file. */
@ApiTags('users')
@Controller('users/me/exports')
@TokenScope('account')
export class ExportsController {
  constructor(private readonly exports: ExportsService) {}

  @Post()
  @Idempotent()
  @ForRestricted()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Create an export of my account',
    description:
      'A ZIP with profile, posts and drafts as Markdown, comments, votes, saves, follows, blocks, mutes, hidden posts, filters, collections and images. One a day (UTC), created in the background and kept for seven days. A mail says when it is ready; `Location` is its address.',
  })
  @ApiAcceptedResponse({ type: ExportDto, headers: headerRefs('Location') })
  @ApiProblems('user_not_found', 'too_many_exports')
  async createExport(
    @WriteRequest() write: WriteRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportDto> {
    const row = await this.exports.create(write);
    void reply.header('Location', locationOf(row));
    return toExport(row, null);
  }

  @Post('by-mail')
  @Access('public')
  @RateLimit('auth')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Create an export of a banned account',
    description: 'By the token of the mail about the ban: once, within 30 days. A mail has the link to the file.',
  })
  @ApiAcceptedResponse({ type: ExportDto })
  @ApiProblems('invalid_email_token', 'user_not_found', 'too_many_exports')
  async createExportByMail(@Body() body: TokenBody): Promise<ExportDto> {
    return toExport(await this.exports.requestByMail(body.token), null);
  }

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'List my exports', description: 'Latest first, without expired ones.' })
  @ApiOkResponse({ type: ExportListDto })
  async listExports(@CurrentViewer() viewer: Viewer): Promise<ExportListDto> {
    return { data: (await this.exports.list(viewer)).map((row) => toExport(row, this.exports.linkOf(row))) };
  }

  @Get(':id')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'Get an export', description: 'Includes the link to the file when it is ready.' })
  @ApiOkResponse({ type: ExportDto })
  @ApiProblems('export_not_found')
  async getExport(@CurrentViewer() viewer: Viewer, @ExportId id: ObjectId): Promise<ExportDto> {
    const row = await this.exports.get(viewer, id);
    return toExport(row, this.exports.linkOf(row));
  }

  @Get(':id/file')
  @Access('public')
  @Header('Cache-Control', 'private, no-store')
  @ExampleNeeds('the link of an export, which the server signs')
  @ApiOperation({
    summary: 'Download an export',
    description: 'For everyone with the link. Supports a single byte range; several ranges return the whole file.',
  })
  @ApiOkResponse({ content: ZIP })
  @ApiResponse({ status: 206, description: 'the requested range', content: ZIP })
  @ApiProblems('invalid_export_link', 'range_not_satisfiable')
  async getExportFile(
    @ExportId id: ObjectId,
    @Query() { signature }: ExportFileQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    return sendFile(reply, await this.exports.open(id, signature));
  }
}
