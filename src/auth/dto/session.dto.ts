import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { NullableField } from '../../platform/http/validation/text-rules.js';
import type { Viewer } from '../../platform/access/viewer.js';
import type { ListedSession } from '../sessions.service.js';

export class SessionDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: '6650c3a2f1d2b3c4d5e6f70a' })
  id!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, description: 'time of the sign-in', example: '2026-11-23T10:00:00.000Z' })
  createdAt!: Date;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    description: 'time of the last token refresh',
    example: '2026-11-24T10:00:00.000Z',
  })
  lastUsedAt!: Date;

  @ApiProperty({
    maxLength: 80,
    description: 'browser and system, as far as its `User-Agent` names them',
    example: 'Firefox on Linux',
  })
  device!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: 64,
    description: 'network of the last token refresh (IPv4 /24, IPv6 /48); null if unknown',
    example: '192.0.2.0/24',
  })
  network!: string | null;

  @ApiProperty({ description: 'whether the access token of this request belongs to it', example: true })
  isCurrent!: boolean;
}

export class SessionListDto {
  @ApiProperty({ type: [SessionDto], maxItems: 100 })
  data!: SessionDto[];
}

export class EndSessionsQuery {
  @NullableField({ enum: ['true'], description: 'keep the session of this request', example: 'true' })
  @IsIn(['true'], { message: 'keepCurrent must be true' })
  keepCurrent?: 'true';
}

export function toSession({ userAgent, ...listed }: ListedSession, viewer: Viewer): SessionDto {
  return { ...listed, device: deviceName(userAgent), isCurrent: listed.id === viewer.signInId };
}

/** Part of a user agent -> name of the browser. The first match wins, because most user agents name several browsers. */
const BROWSERS: [string, string][] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: [string, string][] = [
  ['iPhone', 'iOS'],
  ['iPad', 'iPadOS'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];
/** a program other than a browser: `curl/8.5.0` */
const PROGRAM = /^[A-Za-z0-9._-]{1,40}/;

/** Names a session for its owner, like `Firefox on Linux`; `unknown` without a user agent. */
export function deviceName(userAgent: string): string {
  const nameIn = (names: [string, string][]): string | undefined =>
    names.find(([mark]) => userAgent.includes(mark))?.[1];
  const browser = nameIn(BROWSERS) ?? PROGRAM.exec(userAgent)?.[0];
  const system = nameIn(SYSTEMS);
  if (browser === undefined) return system ?? 'unknown';
  return system === undefined ? browser : `${browser} on ${system}`;
}
