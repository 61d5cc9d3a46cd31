import { Body, Controller, Delete, Get, Header, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { ContentRulesService } from './content-rules.service.js';
import {
  ContentRuleDto,
  ContentRulePage,
  CreateContentRule,
  RuleHitListDto,
  toContentRule,
  toRuleHit,
  UpdateContentRule,
} from './dto/content-rule.dto.js';

const RuleId = IdParam({ name: 'id', description: 'of the rule', example: EXAMPLE.ruleId });

/** Rules for texts, for admins. */
@ApiTags('moderation')
@Controller('moderation/rules')
@Access('required', 'admin')
@TokenScope('account')
export class ContentRulesController {
  constructor(private readonly rules: ContentRulesService) {}

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'List rules for texts', description: 'For admins. Latest first.' })
  @ApiOkResponse({ type: ContentRulePage })
  async listRules(@Query() query: PageQuery): Promise<ContentRulePage> {
    return this.rules.list(query).then(({ data, page }) => ({ data: data.map(toContentRule), page }));
  }

  @Post()
  @ApiOperation({
    summary: 'Create a rule for texts',
    description:
      'For admins. Applies to posts, comments, profiles and collections that are written or edited from now on. At most 10,000.',
  })
  @ApiCreatedResponse({ type: ContentRuleDto })
  @ApiProblems('rule_exists', 'too_many_rules')
  async createRule(@CurrentViewer() viewer: Viewer, @Body() body: CreateContentRule): Promise<ContentRuleDto> {
    return this.rules.create(viewer, body).then(toContentRule);
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Update a rule for texts', description: 'For admins. Missing fields stay unchanged.' })
  @ApiOkResponse({ type: ContentRuleDto })
  @ApiProblems('rule_not_found', 'rule_exists')
  async updateRule(
    @CurrentViewer() viewer: Viewer,
    @RuleId id: ObjectId,
    @Body() body: UpdateContentRule,
  ): Promise<ContentRuleDto> {
    return this.rules.update(viewer, id, body).then(toContentRule);
  }

  @Delete(':id')
  @NoContent('deleted')
  @ApiOperation({
    summary: 'Delete a rule for texts',
    description: 'For admins. Content that it has held stays removed until a moderator restores it.',
  })
  @ApiProblems('rule_not_found')
  async deleteRule(@CurrentViewer() viewer: Viewer, @RuleId id: ObjectId): Promise<void> {
    await this.rules.delete(viewer, id);
  }

  @Get(':id/hits')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List the latest texts that a rule matched',
    description: 'For admins. The latest 100, without their texts.',
  })
  @ApiOkResponse({ type: RuleHitListDto })
  @ApiProblems('rule_not_found')
  async listRuleHits(@RuleId id: ObjectId): Promise<RuleHitListDto> {
    return this.rules.listHits(id).then((hits) => ({ data: hits.map(toRuleHit) }));
  }
}
