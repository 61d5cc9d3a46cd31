import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE } from '../common/examples.js';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';

export class RelationshipDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.userIds[0] })
  id!: string;

  @ApiProperty({ description: 'whether you follow this account', example: true })
  isFollowing!: boolean;

  @ApiProperty({ description: 'whether this account follows you', example: false })
  isFollowedBy!: boolean;

  @ApiProperty({ description: 'whether you have a bell for its new posts', example: false })
  hasBell!: boolean;

  @ApiProperty({ description: 'whether you block this account', example: false })
  isBlocked!: boolean;

  @ApiProperty({ description: 'whether you have muted this account', example: false })
  isMuted!: boolean;
}
