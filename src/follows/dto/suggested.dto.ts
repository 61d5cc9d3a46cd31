import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { IsLimit } from '../../platform/http/pagination/page.query.js';
import { PublicUserDto } from '../../users/user.dto.js';

const DEFAULT_SUGGESTIONS = 10;
const MAX_SUGGESTIONS = 50;

export class SuggestionsQuery {
  @ApiPropertyOptional({ default: DEFAULT_SUGGESTIONS, description: 'number of accounts', example: 5 })
  @IsLimit(MAX_SUGGESTIONS)
  limit: number = DEFAULT_SUGGESTIONS;
}

export class SuggestedUserDto {
  @ApiProperty()
  user!: PublicUserDto;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'number of accounts you follow that follow it', example: 3 })
  knownFollowersCount!: number;
}

export class SuggestedUsersDto {
  @ApiProperty({ type: [SuggestedUserDto], maxItems: MAX_SUGGESTIONS })
  data!: SuggestedUserDto[];
}
