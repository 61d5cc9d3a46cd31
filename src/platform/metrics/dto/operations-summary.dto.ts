import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../http/openapi/response-schemas.js';

const MAX_ROWS = 1_000;
const NUMBER = { type: 'number', format: 'double', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const TIME = { ...RESPONSE_SCHEMAS.time, example: '2026-11-30T10:00:00.000Z' } as const;

const text = (description: string, example: string) => ({ maxLength: 255, description, example }) as const;
const count = (description: string, example: number) => ({ ...RESPONSE_SCHEMAS.count, description, example }) as const;
const number = (description: string, example: number) => ({ ...NUMBER, description, example }) as const;
const orNull = (options: ApiPropertyOptions) => ({ ...options, nullable: true }) as ApiPropertyOptions;
const list = (type: new () => object, description: string) =>
  ({ type: [type], maxItems: MAX_ROWS, description }) as ApiPropertyOptions;

export class ServerHostDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, description: 'of this start', example: '6650c3a2f1d2b3c4d5e6f7e0' })
  id!: string;
  @ApiProperty(text('host name', 'web-1')) name!: string;
  @ApiProperty(text('version of its program', '0.4.0+3f9c2d1a7b52')) version!: string;
}

export class RequestRatesDto {
  @ApiProperty(number('requests, cache hits included', 41.5)) perSecond!: number;
  @ApiProperty(number('responses with 4xx', 0.5)) clientErrorsPerSecond!: number;
  @ApiProperty(number('responses with 5xx, requests shed under overload included', 0)) serverErrorsPerSecond!: number;
  @ApiProperty(orNull(number('median without cache hits; null: no request', 3.2))) p50Ms!: number | null;
  @ApiProperty(orNull(number('99th percentile without cache hits; null: no request', 24.8))) p99Ms!: number | null;
  @ApiProperty(orNull(number('share served from the cache; null: no request', 0.83))) cacheShare!: number | null;
  @ApiProperty(count('requests in the framework now', 2)) inFlight!: number;
}

export class CommitRatesDto {
  @ApiProperty(number('committed transactions', 3.5)) perSecond!: number;
  @ApiProperty(count('writes that wait for the next batch', 0)) queued!: number;
}

export class TaskLaneDto {
  @ApiProperty(text('name', 'mail')) name!: string;
  @ApiProperty(count('due tasks of all hosts, at most 15 seconds old', 4)) waiting!: number;
  @ApiProperty(count('tasks done on this host since it started', 1_204)) done!: number;
  @ApiProperty(count('failed attempts on this host since it started', 1)) failed!: number;
}

export class ScheduledTaskDto {
  @ApiProperty(text('name', 'score')) name!: string;
  @ApiProperty(orNull({ ...TIME, description: 'end of the last successful run' })) lastSuccessAt!: string | null;
  @ApiProperty(number('duration of the last run', 1.8)) seconds!: number;
  @ApiProperty(count('failed runs since this host started', 0)) failed!: number;
}

export class ServerProcessDto {
  @ApiProperty(text('`primary`, `web`, `writer`, `jobs`, or `all`: one process', 'web')) role!: string;
  @ApiProperty(count('process id', 4_711)) pid!: number;
  @ApiProperty(text('version of its program', '0.4.0+3f9c2d1a7b52')) version!: string;
  @ApiProperty(count('resident memory', 148_000_000)) memoryBytes!: number;
  @ApiProperty(orNull(number('CPU cores in use; null: the process has just started', 0.12))) cpu!: number | null;
}

export class DatabaseStateDto {
  @ApiProperty(orNull(count('data and indexes; null: no response', 812_000_000))) sizeBytes!: number | null;
  @ApiProperty(count('open connections of this host', 12)) connections!: number;
  @ApiProperty(count('limit of these connections', 100)) maxConnections!: number;
  @ApiProperty(orNull(number('of the slowest secondary; null: unknown', 0))) replicationLagSeconds!: number | null;
}

export class OperationsSummaryDto {
  @ApiProperty({ ...TIME, description: 'time of the figures' }) at!: string;
  @ApiProperty(number('length of the period of all rates, which ends at `at`', 2)) seconds!: number;
  @ApiProperty({ description: 'the host that responded' }) host!: ServerHostDto;
  @ApiProperty(list(ServerHostDto, 'other live hosts of the database')) otherHosts!: ServerHostDto[];
  @ApiProperty() requests!: RequestRatesDto;
  @ApiProperty() commits!: CommitRatesDto;
  @ApiProperty(list(TaskLaneDto, 'lanes of the work queue')) lanes!: TaskLaneDto[];
  @ApiProperty(list(ScheduledTaskDto, 'scheduled tasks that this host has run')) tasks!: ScheduledTaskDto[];
  @ApiProperty(count('commands above `MONGODB_SLOW_QUERY_MS` since this host started', 2)) slowQueries!: number;
  @ApiProperty(list(ServerProcessDto, 'processes of this host')) processes!: ServerProcessDto[];
  @ApiProperty() database!: DatabaseStateDto;
  @ApiProperty(orNull({ ...TIME, description: 'last complete backup; null: unknown' })) lastBackupAt!: string | null;
}
