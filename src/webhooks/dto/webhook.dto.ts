import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { RESPONSE_SCHEMAS } from '../../platform/http/openapi/response-schemas.js';
import { IsLine } from '../../platform/http/validation/line.decorator.js';
import { IsSubsetOf, OptionalField } from '../../platform/http/validation/text-rules.js';
import { IsWebUrl } from '../../platform/http/validation/web-url.decorator.js';
import {
  DISABLED_REASONS,
  type DisabledReason,
  MAX_DESCRIPTION,
  MAX_SITE_WIDE,
  MAX_WEBHOOKS,
  WEBHOOK_EVENTS,
  type WebhookEvent,
} from '../webhook-events.js';

const TIME = '2026-11-29T10:00:00.000Z';
const URL_EXAMPLE = 'https://hooks.example.org/opencanvas';

export class CreateWebhook {
  @ApiProperty({ description: 'https, of a public host', example: URL_EXAMPLE })
  @IsWebUrl('https:', 'http:')
  url!: string;

  @ApiProperty({
    isArray: true,
    description:
      'events of your posts, of comments on them, of your comments, and of follows of you; or of the whole site',
    example: ['post.published', 'post.updated'],
  })
  @IsSubsetOf(WEBHOOK_EVENTS)
  events!: WebhookEvent[];

  @OptionalField({ default: '', description: 'only for you', example: 'rebuilds my site' })
  @IsLine(MAX_DESCRIPTION)
  description?: string;

  @OptionalField({
    default: false,
    description: 'events of all accounts, and of the administration; only for admins',
    example: false,
  })
  @IsBoolean()
  isSiteWide?: boolean;
}

/** Missing fields stay unchanged. */
export class UpdateWebhook extends PartialType(OmitType(CreateWebhook, ['isSiteWide']), { skipNullProperties: false }) {
  @OptionalField({
    description: '`false` stops new deliveries; `true` also ends a `disabledReason`',
    example: true,
  })
  @IsBoolean()
  isEnabled?: boolean;
}

export class WebhookDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: EXAMPLE.webhookId })
  id!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.url, example: URL_EXAMPLE })
  url!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...WEBHOOK_EVENTS] },
    maxItems: WEBHOOK_EVENTS.length,
    example: ['post.published', 'post.updated'],
  })
  events!: WebhookEvent[];

  @ApiProperty({ description: 'whether it receives the events of all accounts', example: false })
  isSiteWide!: boolean;

  @ApiProperty({ maxLength: MAX_DESCRIPTION, example: 'rebuilds my site' })
  description!: string;

  @ApiProperty({ example: true })
  isEnabled!: boolean;

  @ApiProperty({
    enum: DISABLED_REASONS,
    nullable: true,
    description: '`gone`: the receiver responded 410; `failures`: no attempt succeeded for three days',
    example: null,
  })
  disabledReason!: DisabledReason | null;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'time of the first failure since the last success',
    example: null,
  })
  failingSince!: Date | null;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  createdAt!: Date;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: TIME })
  updatedAt!: Date;
}

export class NewWebhookDto extends WebhookDto {
  @ApiProperty({
    description: 'verifies signatures; only in this response',
    minLength: 50,
    maxLength: 50,
    pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0x9G0Rk1sRw=',
  })
  secret!: string;
}

export class WebhookListDto {
  @ApiProperty({ type: [WebhookDto], maxItems: MAX_WEBHOOKS + MAX_SITE_WIDE })
  data!: WebhookDto[];
}
