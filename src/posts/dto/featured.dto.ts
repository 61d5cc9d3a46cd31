import { ApiProperty } from '@nestjs/swagger';
import { ANSWER } from '../../platform/http/openapi/answer-schemas.js';

export class FeaturedIdsDto {
  @ApiProperty({ type: 'array', items: ANSWER.id, maxItems: 8, example: ['6650c3a2f1d2b3c4d5e6f708'] })
  featuredPostIds!: string[];
}
