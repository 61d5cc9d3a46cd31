import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { CreateReport, ReportDto } from './dto/report.dto.js';
import { ReportsService } from './reports.service.js';

@ApiTags('reports')
@Access('required')
@Controller('reports')
@TokenScope('interactions')
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @NewcomerLimit('reports')
  @Post()
  @ApiOperation({
    summary: 'Report content to moderators',
    description:
      'A post, comment, account or collection that you can read. Only moderators see who reported. Another report about the same target returns the first one; 60 reports in 24 hours.',
  })
  @ApiCreatedResponse({ type: ReportDto })
  @ApiOkResponse({ type: ReportDto, description: 'you have reported it before' })
  @ApiProblems('report_self', 'post_not_found', 'comment_not_found', 'user_not_found', 'collection_not_found')
  @ApiProblems('media_not_found')
  async createReport(
    @CurrentViewer() viewer: Viewer,
    @Body() body: CreateReport,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReportDto> {
    const { report, isNew } = await this.reports.create(viewer, body);
    void reply.status(isNew ? 201 : 200);
    return report;
  }
}
