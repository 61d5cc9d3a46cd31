import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE } from '../../common/examples.js';
import { IsText } from '../../platform/http/validation/text-rules.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { type Export, EXPORT_STATES, type ExportState } from '../export.schema.js';

const EXAMPLE_ID = EXAMPLE.exportId;
const EXAMPLE_SIGNATURE = '1795809600.3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s';

export class ExportDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE_ID })
  id!: string;

  @ApiProperty({ enum: EXPORT_STATES, example: 'ready' })
  state!: ExportState;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.count,
    nullable: true,
    description: 'size of the file in bytes; null until it is ready',
    example: 48_213,
  })
  bytes!: number | null;

  @ApiProperty({
    type: String,
    format: 'uri-reference',
    maxLength: 200,
    nullable: true,
    description: 'Address of the file, valid for a day without signing in; null until it is ready',
    example: `/v1/users/me/exports/${EXAMPLE_ID}/file?signature=${EXAMPLE_SIGNATURE}`,
  })
  url!: string | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-11-24T10:00:00.000Z' })
  createdAt!: Date;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    description: 'time at which the file is deleted',
    example: '2026-12-01T10:00:00.000Z',
  })
  expiresAt!: Date;
}

export class ExportListDto {
  @ApiProperty({ type: [ExportDto], maxItems: 8 })
  data!: ExportDto[];
}

export class ExportFileQuery {
  @ApiProperty({ description: 'from the link', example: EXAMPLE_SIGNATURE })
  @IsText({ min: 54, max: 54, pattern: /^[0-9]{10}\.[A-Za-z0-9_-]{43}$/, message: 'must be as the link has it' })
  signature!: string;
}

export function toExport(row: Export, url: string | null): ExportDto {
  const { _id, state, bytes, createdAt, expiresAt } = row;
  return { id: _id.toHexString(), state, bytes, url, createdAt, expiresAt };
}
