import { ApiProperty } from '@nestjs/swagger';

export class FeaturedIdsDto {
  @ApiProperty({ type: [String], maxItems: 8, example: ['6650c3a2f1d2b3c4d5e6f708'] })
  featuredPostIds!: string[];
}
