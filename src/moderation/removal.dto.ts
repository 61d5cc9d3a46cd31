import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import type { Removal } from './removal.js';

/** The removal of a post or comment, for its author and moderators. */
export class RemovalDto {
  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    description: 'the action, for an appeal',
    example: '6650c3a2f1d2b3c4d5e6f7b0',
  })
  actionId!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    description: 'it is deleted 30 days later',
    example: '2026-05-01T09:30:00.000Z',
  })
  at!: string;

  @ApiProperty({
    maxLength: 500,
    description: 'of the moderator, or that it waits for a review',
    example: 'The post advertises a shop.',
  })
  reason!: string;
}

export function toRemoval({ actionId, at, reason }: Removal): RemovalDto {
  return { actionId: actionId.toHexString(), at: at.toISOString(), reason };
}
