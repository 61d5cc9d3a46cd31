import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsNumber, IsObject, IsOptional, Max, Min, ValidateNested } from 'class-validator';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { IsText } from '../../platform/http/validation/text-rules.js';

/** example key of RFC 8291 */
const P256DH = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4';
const KEY = /^[A-Za-z0-9_-]{87}$/;
/** Browsers give base64url; some libraries give base64, with padding. */
const GIVEN_KEY = /^(?:[A-Za-z0-9_-]{87}|[A-Za-z0-9+/]{87})=?$/;
const GIVEN_SECRET = /^(?:[A-Za-z0-9_-]{22}|[A-Za-z0-9+/]{22})(?:==)?$/;
const ENDPOINT = /^https:\/\/[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?\/[A-Za-z0-9._~!$&'()*+,;=:@/?%-]+$/;
const SUBSCRIPTION_ID = {
  type: 'string',
  minLength: 43,
  maxLength: 43,
  pattern: '^[A-Za-z0-9_-]{43}$',
} as const;
/** milliseconds of the latest date in JavaScript */
const MAX_TIME = 8_640_000_000_000_000;
const EXAMPLE_SUBSCRIPTION_ID = '3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s';

export class PushKeyDto {
  @ApiProperty({
    minLength: 87,
    maxLength: 87,
    pattern: KEY.source,
    description: '`applicationServerKey` of `pushManager.subscribe`',
    example: P256DH,
  })
  publicKey!: string;
}

export class PushKeys {
  @ApiProperty({ description: 'public key of the browser', example: P256DH })
  @IsText({ min: 87, max: 88, pattern: GIVEN_KEY, message: 'must be 65 bytes in base64url or base64' })
  p256dh!: string;

  @ApiProperty({ description: 'secret of the browser', example: 'BTBZMqHH6r4Tts7J_aSIgg' })
  @IsText({ min: 22, max: 24, pattern: GIVEN_SECRET, message: 'must be 16 bytes in base64url or base64' })
  auth!: string;
}

/** The result of `PushSubscription.toJSON()` in a browser. */
export class CreatePushSubscription {
  @ApiProperty({
    description: 'of the push service',
    example: 'https://push.example.org/wpush/v2/3yqk0T0yQ0mVfJ2x8V6o',
  })
  @IsText({ min: 12, max: 1_780, pattern: ENDPOINT, message: 'must be the https address of a push service' })
  endpoint!: string;

  @ApiProperty({
    type: Number,
    required: false,
    nullable: true,
    minimum: 0,
    maximum: MAX_TIME,
    description: 'ignored: the push service says when a subscription has ended',
    example: null,
  })
  @IsOptional()
  @IsNumber({}, { message: 'expirationTime must be a number or null' })
  @Min(0)
  @Max(MAX_TIME)
  expirationTime?: number | null;

  @ApiProperty()
  @IsObject({ message: 'keys must be an object' })
  @ValidateNested()
  @Type(() => PushKeys)
  keys!: PushKeys;
}

export class PushSubscriptionDto {
  @ApiProperty({
    ...SUBSCRIPTION_ID,
    description: 'SHA-256 of the endpoint, in base64url',
    example: EXAMPLE_SUBSCRIPTION_ID,
  })
  id!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: 300,
    description: 'of the push service',
    example: 'push.example.org',
  })
  host!: string | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-05-01T09:30:00.000Z' })
  createdAt!: string;
}

export class PushSubscriptionQuery {
  @ApiProperty({ description: 'id of the subscription', example: EXAMPLE_SUBSCRIPTION_ID })
  @IsText({ min: 43, max: 43, pattern: /^[A-Za-z0-9_-]{43}$/, message: 'must be the id of a subscription' })
  id!: string;
}

export class PushSubscriptionList {
  @ApiProperty({ type: [PushSubscriptionDto], maxItems: 10 })
  data!: PushSubscriptionDto[];
}
