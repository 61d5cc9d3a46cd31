import { Body, Controller, Delete, Get, Header, HttpCode, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ObjectId } from 'mongodb';
import { EXAMPLE } from '../common/examples.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import type { Viewer } from '../platform/access/viewer.js';
import { IfMatch, versionedEtag } from '../platform/http/if-match.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { DeliveriesQuery, WebhookDeliveryDto, WebhookDeliveryPage } from './dto/webhook-delivery.dto.js';
import { CreateWebhook, NewWebhookDto, UpdateWebhook, WebhookDto, WebhookListDto } from './dto/webhook.dto.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { locationOf, toWebhook, type WebhookRow } from './webhook-view.js';
import { WebhooksService } from './webhooks.service.js';

const WebhookId = IdParam({ name: 'id', description: 'of the webhook', example: EXAMPLE.webhookId });
const DeliveryId = IdParam({
  name: 'deliveryId',
  description: 'of the delivery: the header `webhook-id`',
  example: EXAMPLE.webhookDeliveryId,
});

/** Webhooks of the account. Other accounts get 404. */
@ApiTags('webhooks')
@Controller('webhooks')
@Access('required')
@TokenScope('webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Post()
  @Idempotent({ isSecret: true })
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create a webhook',
    description:
      'The URL then receives a signed POST for each event (Standard Webhooks), at least once and in any order. At most 10 an account, and 20 site-wide ones of admins; the secret is shown only once.',
  })
  @ApiCreatedResponse({ type: NewWebhookDto, headers: headerRefs('Location') })
  @ApiProblems('invalid_webhook_url', 'invalid_webhook_events', 'forbidden', 'too_many_webhooks')
  async createWebhook(
    @WriteRequest() write: WriteRequest,
    @Body() draft: CreateWebhook,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewWebhookDto> {
    const created = await this.webhooks.create(write, draft);
    void reply.header('Location', locationOf(created));
    return created;
  }

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'List my webhooks', description: 'Oldest first, without their secrets.' })
  @ApiOkResponse({ type: WebhookListDto })
  async listWebhooks(@CurrentViewer() viewer: Viewer): Promise<WebhookListDto> {
    return { data: await this.webhooks.list(viewer._id) };
  }

  @Get(':id')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'Get a webhook', description: 'Without its secret.' })
  @ApiOkResponse({ type: WebhookDto, headers: headerRefs('ETag') })
  @ApiProblems('webhook_not_found', 'forbidden')
  async getWebhook(
    @CurrentViewer() viewer: Viewer,
    @WebhookId id: ObjectId,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookDto> {
    return tagged(reply, await this.webhooks.get(viewer, id));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Update a webhook', description: 'Missing fields stay unchanged.' })
  @ApiOkResponse({ type: WebhookDto, headers: headerRefs('ETag') })
  @ApiProblems('invalid_webhook_url', 'invalid_webhook_events', 'webhook_not_found', 'forbidden', 'precondition_failed')
  async updateWebhook(
    @CurrentViewer() viewer: Viewer,
    @WebhookId id: ObjectId,
    @Body() edit: UpdateWebhook,
    @Res({ passthrough: true }) reply: FastifyReply,
    @IfMatch() ifMatch?: string,
  ): Promise<WebhookDto> {
    return tagged(reply, await this.webhooks.update(viewer, id, edit, ifMatch));
  }

  @ForRestricted('removal')
  @Delete(':id')
  @NoContent('deleted')
  @ApiOperation({ summary: 'Delete a webhook', description: 'With its deliveries. Those that wait are not sent.' })
  @ApiProblems('webhook_not_found')
  async deleteWebhook(@CurrentViewer() viewer: Viewer, @WebhookId id: ObjectId): Promise<void> {
    await this.webhooks.delete(viewer, id);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Replace the secret of a webhook',
    description: 'The previous secret also signs for 24 hours, so that you can change your receiver in that time.',
  })
  @ApiOkResponse({ type: NewWebhookDto })
  @ApiProblems('webhook_not_found', 'forbidden')
  async rotateWebhookSecret(@CurrentViewer() viewer: Viewer, @WebhookId id: ObjectId): Promise<NewWebhookDto> {
    return this.webhooks.rotate(viewer, id).then(({ row, secret }) => ({ ...toWebhook(row), secret }));
  }

  @Post(':id/ping')
  @HttpCode(202)
  @RateLimit('pings')
  @ApiOperation({
    summary: 'Start a test delivery to a webhook',
    description: 'A delivery of type `ping`; ten a minute.',
  })
  @ApiAcceptedResponse({ type: WebhookDeliveryDto })
  @ApiProblems('webhook_not_found', 'forbidden', 'webhook_disabled')
  async pingWebhook(@CurrentViewer() viewer: Viewer, @WebhookId id: ObjectId): Promise<WebhookDeliveryDto> {
    return this.deliveries.ping(viewer, id);
  }

  @Get(':id/deliveries')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List deliveries of a webhook',
    description: 'Of the last 30 days, latest event first, with their attempts.',
  })
  @ApiOkResponse({ type: WebhookDeliveryPage })
  @ApiProblems('webhook_not_found', 'forbidden')
  listWebhookDeliveries(
    @CurrentViewer() viewer: Viewer,
    @WebhookId id: ObjectId,
    @Query() query: DeliveriesQuery,
  ): Promise<Page<WebhookDeliveryDto>> {
    return this.deliveries.list(viewer, id, query);
  }

  @Post(':id/deliveries/:deliveryId/redeliver')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Start a delivery again',
    description: 'Under its id, with all repetitions. A delivery that waits stays unchanged.',
  })
  @ApiAcceptedResponse({ type: WebhookDeliveryDto })
  @ApiProblems('webhook_not_found', 'forbidden', 'webhook_delivery_not_found', 'webhook_disabled')
  async redeliverWebhook(
    @CurrentViewer() viewer: Viewer,
    @WebhookId id: ObjectId,
    @DeliveryId deliveryId: ObjectId,
  ): Promise<WebhookDeliveryDto> {
    return this.deliveries.redeliver(viewer, id, deliveryId);
  }
}

function tagged(reply: FastifyReply, row: WebhookRow): WebhookDto {
  const webhook = toWebhook(row);
  void reply.header('etag', versionedEtag(row.version, webhook));
  return webhook;
}
