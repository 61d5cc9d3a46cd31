import { ApiProperty } from '@nestjs/swagger';
import { ANSWER } from '../../platform/http/openapi/answer-schemas.js';
import type { Viewer } from '../../platform/auth/viewer.js';
import { deviceName } from '../device-name.js';
import type { ListedSession } from '../sessions.service.js';

export class SessionDto {
  @ApiProperty({ ...ANSWER.id, example: '6650c3a2f1d2b3c4d5e6f70a' })
  id!: string;

  @ApiProperty({ ...ANSWER.time, description: 'when it was signed in', example: '2026-11-23T10:00:00.000Z' })
  createdAt!: Date;

  @ApiProperty({ ...ANSWER.time, description: 'when it last got new tokens', example: '2026-11-24T10:00:00.000Z' })
  lastUsedAt!: Date;

  @ApiProperty({ maxLength: 80, description: 'as far as it says what it is', example: 'Firefox on Linux' })
  device!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: 64,
    description: 'the network it last got tokens in (/24, of IPv6 /48); null where that is not known',
    example: '192.0.2.0/24',
  })
  network!: string | null;

  @ApiProperty({ description: 'the one this access token belongs to', example: true })
  isCurrent!: boolean;
}

export class SessionListDto {
  @ApiProperty({ type: [SessionDto], maxItems: 100 })
  data!: SessionDto[];
}

export function toSession({ userAgent, ...listed }: ListedSession, viewer: Viewer): SessionDto {
  return { ...listed, device: deviceName(userAgent), isCurrent: listed.id === viewer.signInId };
}
