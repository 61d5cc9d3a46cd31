import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.decorator.js';
import { TokenScope } from '../access/token-scope.js';
import { OperationsSummaryDto } from './dto/operations-summary.dto.js';
import { OperationsSummaryService } from './operations-summary.service.js';

@ApiTags('operations')
@Controller('operations/summary')
@Access('required', 'admin')
@TokenScope('operations')
export class OperationsSummaryController {
  constructor(private readonly summary: OperationsSummaryService) {}

  @Get()
  @Header('Cache-Control', 'private, no-store')
  @ApiOperation({
    summary: 'Get the state of the server',
    description:
      'For admins. Figures of all processes of the host that responds, from the same metrics as `/metrics`; requests to this route do not ' +
      'count. Rates are of the time between the last two requests, at most a minute; the first response takes a second.',
  })
  @ApiOkResponse({ type: OperationsSummaryDto })
  getOperationsSummary(): Promise<OperationsSummaryDto> {
    return this.summary.get();
  }
}
