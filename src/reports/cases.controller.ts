import { Body, Controller, Delete, Get, Header, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CodedError } from '../common/errors.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { CasesService } from './cases.service.js';
import {
  CASE_ID_SCHEMA,
  CaseClaimDto,
  DismissCase,
  ReportCaseDetailsDto,
  ReportCasePage,
  toCase,
  toCaseDetails,
  toClaim,
} from './dto/case.dto.js';
import { CasesQuery } from './dto/cases.query.js';
import { CASE_ID } from './report-rules.js';

const CaseId = IdParam(
  { name: 'id', description: 'of the case: kind and id of the target', ...CASE_ID_SCHEMA },
  {
    transform: (id: unknown): string => {
      if (typeof id === 'string' && CASE_ID.pattern.test(id)) return id;
      const message = 'must be post, comment, user or collection, a hyphen, and 24 hex digits in lower case';
      throw new CodedError('invalid_id', `id ${message}.`, { fields: [{ field: 'id', message }] });
    },
  },
);

/** Cases of reported content, for moderators. */
@ApiTags('moderation')
@Controller('moderation/cases')
@Access('required', 'moderator')
@TokenScope('account')
export class CasesController {
  constructor(private readonly cases: CasesService) {}

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List cases of reported content',
    description:
      'For moderators. All reports about one target are one case, with its owner and the beginning of its text. Omits nothing that you block or mute.',
  })
  @ApiOkResponse({ type: ReportCasePage })
  async listCases(@CurrentViewer() viewer: Viewer, @Query() query: CasesQuery): Promise<ReportCasePage> {
    return this.cases.list(query, viewer).then(({ data, page }) => ({ data: data.map(toCase), page }));
  }

  @Get(':id')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Get a case',
    description:
      'For moderators. The target as it was at the first report and as it is now, with the latest 100 reports, and the latest 20 actions on it and on its author. Closed cases are deleted after 30 days.',
  })
  @ApiOkResponse({ type: ReportCaseDetailsDto })
  @ApiProblems('case_not_found')
  async getCase(@CurrentViewer() viewer: Viewer, @CaseId id: string): Promise<ReportCaseDetailsDto> {
    return this.cases.get(id, viewer).then(toCaseDetails);
  }

  @Put(':id/claim')
  @ApiOperation({
    summary: 'Claim a case',
    description:
      'For moderators. No other moderator can decide the case for 15 minutes. Repeat it to extend the claim.',
  })
  @ApiOkResponse({ type: CaseClaimDto })
  @ApiProblems('forbidden', 'case_not_found', 'case_claimed', 'case_closed')
  async claimCase(@CurrentViewer() viewer: Viewer, @CaseId id: string): Promise<CaseClaimDto> {
    return this.cases.claim(id, viewer).then(toClaim);
  }

  @Delete(':id/claim')
  @NoContent()
  @ApiOperation({ summary: 'Release a case', description: 'For moderators. Deletes your claim. Idempotent.' })
  @ApiProblems('case_not_found', 'case_claimed')
  async releaseCase(@CurrentViewer() viewer: Viewer, @CaseId id: string): Promise<void> {
    await this.cases.release(id, viewer);
  }

  @Post(':id/dismiss')
  @NoContent()
  @ApiOperation({
    summary: 'Dismiss a case',
    description:
      'For moderators. Closes the case without an action; later reports of its reporters weigh less for 30 days. A new report about the target opens the case again.',
  })
  @ApiProblems('forbidden', 'case_not_found', 'case_claimed', 'case_closed')
  async dismissCase(
    @CurrentViewer() viewer: Viewer,
    @CaseId id: string,
    @Body() { note = '' }: DismissCase,
  ): Promise<void> {
    await this.cases.dismiss(id, viewer, note);
  }
}
