import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { ContentFiltersService } from './content-filters.service.js';
import {
  ContentFilterDto,
  ContentFilterListDto,
  CreateContentFilter,
  UpdateContentFilter,
} from './dto/content-filter.dto.js';
import { FILTER_EXAMPLE } from './filtered.dto.js';

const FilterId = IdParam({ name: 'id', description: 'of the filter', example: FILTER_EXAMPLE.id });

@ApiTags('blocks')
@Access('required')
@Controller('users/me/filters')
@TokenScope('read', 'interactions')
export class ContentFiltersController {
  constructor(private readonly filters: ContentFiltersService) {}

  @Get()
  @ApiOperation({ summary: 'List my filters', description: 'By phrase, without expired ones.' })
  @ApiOkResponse({ type: ContentFilterListDto })
  async listFilters(@CurrentViewer() viewer: Viewer): Promise<ContentFilterListDto> {
    return { data: await this.filters.list(viewer._id) };
  }

  @ForRestricted('self')
  @Post()
  @ApiOperation({
    summary: 'Create a filter',
    description:
      'Your lists omit posts and comments of others with the phrase, or name the filter in `filtered`. An account has at most 100.',
  })
  @ApiCreatedResponse({ type: ContentFilterDto })
  @ApiProblems('invalid_expiry', 'filter_exists', 'too_many_filters')
  createFilter(@CurrentViewer() viewer: Viewer, @Body() body: CreateContentFilter): Promise<ContentFilterDto> {
    return this.filters.create(viewer, body);
  }

  @ForRestricted('self')
  @Patch(':id')
  @ApiOperation({ summary: 'Update a filter', description: 'Missing fields stay unchanged.' })
  @ApiOkResponse({ type: ContentFilterDto })
  @ApiProblems('invalid_expiry', 'filter_not_found', 'filter_exists')
  updateFilter(
    @CurrentViewer() viewer: Viewer,
    @FilterId id: ObjectId,
    @Body() body: UpdateContentFilter,
  ): Promise<ContentFilterDto> {
    return this.filters.update(viewer, id, body);
  }

  @ForRestricted('self')
  @Delete(':id')
  @NoContent('deleted')
  @ApiOperation({ summary: 'Delete a filter', description: 'Your lists show matching content again.' })
  @ApiProblems('filter_not_found')
  async deleteFilter(@CurrentViewer() viewer: Viewer, @FilterId id: ObjectId): Promise<void> {
    await this.filters.delete(viewer, id);
  }
}
