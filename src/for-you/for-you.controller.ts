import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import type { SerializedPage } from '../platform/http/pagination/serialized-page.js';
import { AffinitiesService } from './affinities.service.js';
import { FeedbackBody, FeedbackDto, type ForYouCardDto, ForYouPageDto } from './dto/for-you.dto.js';
import { ForYouService } from './for-you.service.js';

@ApiTags('feed')
@Controller('feed/for-you')
@Access('required')
@TokenScope('read', 'interactions')
export class ForYouController {
  constructor(
    private readonly forYou: ForYouService,
    private readonly affinities: AffinitiesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List posts for me',
    description:
      'Posts of accounts and tags that you follow, posts that these accounts like, posts similar to your likes, and popular posts, each with its reason; none that you wrote or voted on, and at most two of the same author in any 20. The pages of a first page stay the same for 30 minutes. With `personalised: false` in your settings, the hot feed.',
  })
  @ApiOkResponse({ type: ForYouPageDto })
  @ApiProblems('cursor_expired')
  listForYou(
    @CurrentViewer() viewer: Viewer,
    @Query() query: PageQuery,
  ): Promise<SerializedPage | Page<ForYouCardDto>> {
    return this.forYou.list(viewer, query);
  }

  @ForRestricted('self')
  @Put('feedback')
  @ApiOperation({
    summary: 'Request more or less like a post',
    description:
      'Idempotent; replaces earlier feedback on the post. The latest 100 posts count. The author is not informed, and no count changes.',
  })
  @ApiOkResponse({ type: FeedbackDto })
  @ApiProblems('post_not_found', 'not_personalised')
  giveFeedback(@CurrentViewer() viewer: Viewer, @Body() { postId, kind }: FeedbackBody): Promise<FeedbackDto> {
    return this.affinities.giveFeedback(viewer, ObjectId.createFromHexString(postId), kind);
  }
}
