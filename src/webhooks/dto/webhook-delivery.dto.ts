import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { TARGET_KINDS, type TargetKind } from '../../moderation/action-kinds.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { PageOf } from '../../platform/http/pagination/page.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { OptionalField } from '../../platform/http/validation/text-rules.js';
import { USERNAME_SCHEMA } from '../../users/username.js';
import {
  DELIVERY_STATES,
  type DeliveryState,
  MAX_ATTEMPTS,
  MAX_RESPONSE_BYTES,
  MESSAGE_TYPES,
  type MessageType,
} from '../webhook-events.js';

const TIME = '2026-11-29T10:00:00.000Z';

export class DeliveriesQuery extends PageQuery {
  @OptionalField({ enum: DELIVERY_STATES, description: 'only deliveries of this state' })
  @IsIn(DELIVERY_STATES, { message: `state must be one of ${DELIVERY_STATES.join(', ')}` })
  state?: DeliveryState;
}

export class WebhookDataDto {
  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    description:
      'of the post, comment, account, collection, export, import, action, registration, rule or webhook that the type names; `report.opened`: of the reported content',
    example: EXAMPLE.postId,
  })
  id!: string;

  @ApiPropertyOptional({ maxLength: 105, description: 'of a post', example: `notes-${EXAMPLE.postId}` })
  slug?: string;

  @ApiPropertyOptional({
    ...RESPONSE_SCHEMAS.count,
    description: 'of a post, comment or profile: grows with each edit, so a receiver can ignore an older one',
    example: 2,
  })
  version?: number;

  @ApiPropertyOptional({ ...RESPONSE_SCHEMAS.id, description: 'the post of a comment', example: EXAMPLE.postId })
  postId?: string;

  @ApiPropertyOptional({ ...USERNAME_SCHEMA, description: 'of a follower or account', example: EXAMPLE.username })
  username?: string;

  @ApiPropertyOptional({
    enum: TARGET_KINDS,
    description: 'of a report, an action or a hit of a rule',
    example: 'post',
  })
  targetKind?: TargetKind;

  @ApiPropertyOptional({
    ...RESPONSE_SCHEMAS.id,
    description: 'of an action or a hit of a rule; a rejected text may have no row',
    example: EXAMPLE.postId,
  })
  targetId?: string;

  @ApiPropertyOptional({ enum: ['ready', 'failed'], description: 'of an import', example: 'ready' })
  state?: 'ready' | 'failed';

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: RESPONSE_SCHEMAS.count,
    maxProperties: 10,
    description: 'of an import, as in its response',
    example: { read: 12, drafts: 10, problems: 2 },
  })
  counts?: Record<string, number>;
}

export class DeliveryAttemptDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  at!: Date;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 100,
    maximum: 999,
    nullable: true,
    description: 'of the response; null without one',
    example: 204,
  })
  status!: number | null;

  @ApiProperty({
    type: String,
    maxLength: 40,
    nullable: true,
    description: 'why there was no response: `refused` (not a public https address), `timeout`, `unreachable`, …',
    example: null,
  })
  error!: string | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'milliseconds', example: 84 })
  durationMs!: number;

  @ApiProperty({ maxLength: MAX_RESPONSE_BYTES, description: 'the first 1 kB of the response', example: '' })
  response!: string;
}

export class WebhookDeliveryDto {
  @ApiProperty({
    ...RESPONSE_SCHEMAS.id,
    description: 'of the event: the header `webhook-id` of each attempt',
    example: EXAMPLE.webhookDeliveryId,
  })
  id!: string;

  @ApiProperty({ enum: MESSAGE_TYPES, example: 'post.published' })
  type!: MessageType;

  @ApiProperty()
  data!: WebhookDataDto;

  @ApiProperty({ enum: DELIVERY_STATES, example: 'delivered' })
  state!: DeliveryState;

  @ApiProperty({ type: [DeliveryAttemptDto], maxItems: MAX_ATTEMPTS, description: 'oldest first, the latest 20' })
  attempts!: DeliveryAttemptDto[];

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'time of the next attempt after a failure',
    example: null,
  })
  nextAt!: Date | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: Date;
}

export class WebhookDeliveryPage extends PageOf(WebhookDeliveryDto) {}
