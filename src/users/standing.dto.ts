import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { type Standing, STANDING_LEVELS, standingAt, type StandingLevel } from './standing.js';

/** A restriction of an account, for its owner and moderators. */
export class StandingDto {
  @ApiProperty({
    enum: STANDING_LEVELS,
    description:
      '`limited`: lists of others omit its content; `suspended`: the account may read, but not write; `banned`: limited, and it cannot sign in',
    example: 'suspended',
  })
  level!: StandingLevel;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'null: until a moderator lifts it',
    example: '2099-12-31T00:00:00.000Z',
  })
  until!: Date | null;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    description: 'the action, for an appeal',
    example: '6650c3a2f1d2b3c4d5e6f7b0',
  })
  actionId!: string;
}

/** Returns null for a good standing. */
export function toStanding(standing: Standing | null | undefined): StandingDto | null {
  const active = standingAt(standing, Date.now());
  return active && { level: active.level, until: active.until, actionId: active.actionId.toHexString() };
}
