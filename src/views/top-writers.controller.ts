import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { TopWriterDto } from '../users/user.dto.js';
import { TOP_WRITERS_DEFAULTS, TopWritersPage, TopWritersQuery } from './dto/top-writers.dto.js';
import { TopWritersService } from './top-writers.service.js';
import { MAX_TOP_WRITERS } from './writer-list.schema.js';

@ApiTags('users')
@Controller('users')
@TokenScope('read', 'profile')
export class TopWritersController {
  constructor(private readonly writers: TopWritersService) {}

  @Get('top')
  @Access('public')
  @Cached({
    freshMs: (cache) => cache.topWritersTtlMs,
    query: TOP_WRITERS_DEFAULTS,
    tags: () => ['top-writers'],
  })
  @ApiOperation({
    summary: 'List top writers',
    description: `The first ${MAX_TOP_WRITERS}: by likes per post, up to five minutes old, or by the score of a \`window\`, computed every hour.`,
  })
  @ApiOkResponse({ type: TopWritersPage })
  listTopWriters(@Query() query: TopWritersQuery): Promise<Page<TopWriterDto>> {
    return this.writers.list(query);
  }
}
