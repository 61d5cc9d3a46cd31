import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';

export class WaitingDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.count, example: 3 })
  count!: number;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'of the oldest; null: none',
    example: '2026-11-29T10:00:00.000Z',
  })
  oldestAt!: Date | null;
}

export class ModerationSummaryDto {
  @ApiProperty({ description: 'open cases' })
  cases!: WaitingDto;

  @ApiProperty({ description: 'open appeals' })
  appeals!: WaitingDto;

  @ApiProperty({ description: 'registrations that wait for approval' })
  signUps!: WaitingDto;
}
