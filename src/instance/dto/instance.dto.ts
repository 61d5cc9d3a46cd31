import { ApiProperty } from '@nestjs/swagger';
import { REGISTRATION_MODES, type RegistrationMode } from '../../config/env.schema.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';

class InstanceLimitsDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'characters of the title of a post', example: 200 })
  titleLength!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'characters of the subtitle of a post', example: 120 })
  subtitleLength!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'characters of a post', example: 200_000 })
  contentLength!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'characters of a comment', example: 1_000 })
  commentLength!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'bytes of one image', example: 10_485_760 })
  uploadBytes!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'bytes of all images of an account', example: 1_000_000_000 })
  imageBytes!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'reads of an account', example: 6_000 })
  readsPerMinute!: number;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'writes of an account', example: 600 })
  writesPerMinute!: number;
}

/** The settings that a client shows before sign-in. */
export class InstanceDto {
  @ApiProperty({ maxLength: 100, example: 'OpenCanvas' })
  name!: string;

  @ApiProperty({
    enum: REGISTRATION_MODES,
    description:
      '`open`: anyone registers; `invite`: with an invite; `approval`: a moderator decides, unless there is an invite; `closed`: no new accounts',
    example: 'open',
  })
  registration!: RegistrationMode;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', maxLength: 30 },
    maxItems: 100,
    description: 'BCP 47 tags, the main language first',
    example: ['en'],
  })
  languages!: string[];

  @ApiProperty({
    description: 'true while the site has no account: `POST /v1/instance/setup` creates the admin',
    example: false,
  })
  needsSetup!: boolean;

  @ApiProperty()
  limits!: InstanceLimitsDto;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', maxLength: 32 },
    maxItems: 100,
    description: 'for `GET /v1/auth/oidc/{provider}/start`',
    example: ['google'],
  })
  providers!: string[];
}
