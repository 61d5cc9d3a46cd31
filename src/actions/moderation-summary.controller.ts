import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { SignUpsService } from '../registration/sign-ups.service.js';
import { CasesService } from '../reports/cases.service.js';
import { AppealsService } from './appeals.service.js';
import { ModerationSummaryDto } from './dto/moderation-summary.dto.js';

/** What waits for moderators. */
@ApiTags('moderation')
@Controller('moderation/summary')
@Access('required', 'moderator')
@TokenScope('account')
export class ModerationSummaryController {
  constructor(
    private readonly cases: CasesService,
    private readonly appeals: AppealsService,
    private readonly signUps: SignUpsService,
  ) {}

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'Get what waits for moderators',
    description:
      'For moderators. The numbers of open cases, open appeals and pending registrations, each with its oldest.',
  })
  @ApiOkResponse({ type: ModerationSummaryDto })
  async getModerationSummary(): Promise<ModerationSummaryDto> {
    return Promise.all([this.cases.openStatus(), this.appeals.openStatus(), this.signUps.pendingStatus()]).then(
      ([cases, appeals, signUps]) => ({ cases, appeals, signUps }),
    );
  }
}
