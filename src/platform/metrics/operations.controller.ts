import { Controller, Get, Header, Query, Req, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { register } from 'prom-client';
import { ClusterMetrics } from '../cluster/cluster-metrics.js';
import { Access } from '../access/access.decorator.js';
import { RESPONSE_SCHEMAS } from '../http/openapi/response-schemas.js';
import { ApiProblems } from '../http/openapi/api-problem.decorator.js';
import { MetricsGuard } from './metrics.guard.js';
import { Readiness, type ReadinessReport } from './readiness.js';
import { NullableField } from '../http/validation/text-rules.js';

/** far more than the size of the metrics of all processes of a host */
const MAX_METRICS = 10_000_000;

class ReadinessQuery {
  @NullableField({
    type: String,
    enum: ['true'],
    description: 'respond 503 until the search index is complete; for startup probes',
    example: 'true',
  })
  @IsIn(['true'], { message: 'search must be true' })
  search?: 'true';
}

class LivenessDto {
  @ApiProperty({ example: 'live', enum: ['live'] })
  status!: 'live';

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'seconds since the process started', example: 5_231 })
  uptimeSeconds!: number;
}

class ReadinessDto {
  @ApiProperty({ example: 'ready', enum: ['ready'] })
  status!: 'ready';

  @ApiProperty({ description: 'role of this process', enum: ['web', 'jobs', 'all'], example: 'web' })
  role!: string;

  @ApiProperty({
    format: 'double',
    minimum: 0,
    description: 'round trip to the database, measured once a second',
    example: 0.8,
  })
  databasePingMs!: number;

  @ApiPropertyOptional({
    description: 'details of each component; only for the networks in the setting HTTP_METRICS',
    type: 'object',
    additionalProperties: true,
    example: { ranking: { epoch: 42, ageSeconds: 312 } },
  })
  details?: Record<string, unknown>;
}

/** For balancers, orchestrators and monitoring. Health routes respond under any load and without a limit, and reveal nothing else. */
@ApiTags('operations')
@Controller({ version: VERSION_NEUTRAL })
@Access('public')
export class OperationsController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: ClusterMetrics,
    private readonly guard: MetricsGuard,
  ) {}

  @Get('health/live')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Check that the process runs',
    description:
      'Responds while the process runs. It does not ask the database, so an outage of the database restarts no process.',
  })
  @ApiOkResponse({ type: LivenessDto })
  getLiveness(): LivenessDto {
    return { status: 'live', uptimeSeconds: Math.round(process.uptime()) };
  }

  @Get('health/ready')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Check that the process serves',
    description: 'Responds with 200 while MongoDB responds and the process is not shutting down.',
  })
  @ApiOkResponse({ type: ReadinessDto })
  @ApiProblems('invalid_input', 'shutting_down', 'database_unavailable', 'database_upgraded', 'search_not_ready')
  getReadiness(@Req() request: FastifyRequest, @Query() { search }: ReadinessQuery): Promise<ReadinessReport> {
    return this.readiness.report(this.guard.isOperator(request), search === 'true');
  }

  @Get('metrics')
  @UseGuards(MetricsGuard)
  @Header('Content-Type', register.contentType)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Get Prometheus metrics',
    description:
      'Metrics of all processes of the host, at most a second old. Only networks in `HTTP_METRICS` may read them.',
  })
  @ApiProblems('forbidden')
  @ApiOkResponse({
    content: {
      'text/plain': {
        schema: { type: 'string', maxLength: MAX_METRICS },
        example: 'opencanvas_requests_in_flight 3\n',
      },
    },
  })
  getMetrics(): Promise<string> {
    return this.metrics.collect();
  }
}
