import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentViewer } from '../../platform/access/access.decorator.js';
import { ForRestricted } from '../../platform/access/verified-email.js';
import { TokenScope } from '../../platform/access/token-scope.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { ApiProblems } from '../../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../../platform/http/openapi/no-content.decorator.js';
import { ExampleNeeds } from '../../platform/http/openapi/example-needs.decorator.js';
import {
  CreatePushSubscription,
  PushKeyDto,
  PushSubscriptionDto,
  PushSubscriptionList,
  PushSubscriptionQuery,
} from '../dto/push.dto.js';
import { PushSenderService } from './push-sender.service.js';
import { PushSubscriptionsService } from './push-subscriptions.service.js';

@ApiTags('notifications')
@Controller('notifications')
@TokenScope('notifications')
export class PushController {
  constructor(
    private readonly subscriptions: PushSubscriptionsService,
    private readonly sender: PushSenderService,
  ) {}

  @Get('push-key')
  @ExampleNeeds('`WEB_PUSH_PRIVATE_KEY`')
  @ApiOperation({
    summary: 'Get the key for Web Push',
    description: 'Identifies this server to push services (VAPID).',
  })
  @ApiOkResponse({ type: PushKeyDto })
  @ApiProblems('push_not_configured')
  getPushKey(): PushKeyDto {
    return this.subscriptions.key();
  }

  @ForRestricted('self')
  @Post('push-subscriptions')
  @ApiOperation({
    summary: 'Create a push subscription',
    description:
      'For a browser, at most 10 an account: the oldest one above ends. It receives the kinds that are set to `push`, encrypted: `{"kind", "id"}`. Idempotent for an endpoint. The body is `JSON.stringify(subscription)`.',
  })
  @ApiCreatedResponse({ type: PushSubscriptionDto })
  @ApiProblems('push_not_configured')
  createPushSubscription(
    @CurrentViewer() viewer: Viewer,
    @Body() subscription: CreatePushSubscription,
  ): Promise<PushSubscriptionDto> {
    return this.sender.subscribe(viewer, subscription);
  }

  @Get('push-subscriptions')
  @ApiOperation({ summary: 'List my push subscriptions', description: 'All of them.' })
  @ApiOkResponse({ type: PushSubscriptionList })
  async listPushSubscriptions(@CurrentViewer() viewer: Viewer): Promise<PushSubscriptionList> {
    return { data: await this.subscriptions.list(viewer) };
  }

  @ForRestricted('self')
  @Delete('push-subscriptions')
  @NoContent('deleted')
  @ApiOperation({ summary: 'Delete a push subscription', description: 'Idempotent.' })
  deletePushSubscription(@CurrentViewer() viewer: Viewer, @Query() { id }: PushSubscriptionQuery): Promise<void> {
    return this.subscriptions.delete(viewer, id);
  }
}
