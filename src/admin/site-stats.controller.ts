import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { TextResponse } from '../platform/http/text-response.js';
import { SITE_STATS_RESPONSE, SiteStatisticsDto, SiteStatsQuery } from './dto/site-stats.dto.js';
import { SiteStatsService } from './site-stats.service.js';

@ApiTags('operations')
@Controller('admin/stats')
@Access('required', 'admin')
@TokenScope('operations')
export class SiteStatsController {
  constructor(private readonly stats: SiteStatsService) {}

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'Get the stats of the site',
    description: 'For admins. A job counts each day (UTC), up to an hour ago; it begins 30 days before the upgrade.',
  })
  @ApiExtraModels(SiteStatisticsDto)
  @ApiOkResponse(SITE_STATS_RESPONSE)
  @ApiProblems('invalid_range')
  getSiteStats(@Query() query: SiteStatsQuery): Promise<SiteStatisticsDto | TextResponse> {
    return this.stats.get(query);
  }
}
