import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';

export class UnreadDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.count, maximum: 100, example: 4 })
  count!: number;

  @ApiProperty({ description: 'true if there may be more than `count`', example: false })
  isCapped!: boolean;
}
