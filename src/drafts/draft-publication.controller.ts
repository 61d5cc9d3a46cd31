import { Body, Controller, Delete, Header, Post, Put, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ObjectId } from 'mongodb';
import { CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { IfMatch } from '../platform/http/if-match.js';
import { ForRestricted, Publishes } from '../platform/access/verified-email.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { PostDto } from '../posts/card/post-card.dto.js';
import type { PostJson } from '../posts/post-view.js';
import { DraftPublisherService, publishedResponse } from './draft-publisher.service.js';
import { DraftSharingService } from './draft-sharing.service.js';
import { DraftId, DraftCardDto, DraftLinkDto, TrashedDraftId } from './draft-view.js';
import { ScheduleDraft } from './dto/draft-input.dto.js';
import { PublishDraftQuery } from './dto/publish-draft.query.js';

const POST_HEADERS = headerRefs('ETag');
const NEW_POST = { type: PostDto, headers: { ...headerRefs('Location'), ...POST_HEADERS } };

/** Publishes a draft, now or later, restores a deleted post, or shares a draft by link. */
@ApiTags('drafts')
@Controller('drafts')
@TokenScope('read', 'posts')
export class DraftPublicationController {
  constructor(
    private readonly publisher: DraftPublisherService,
    private readonly sharing: DraftSharingService,
  ) {}

  @Publishes()
  @Post(':id/publish')
  @Idempotent()
  @ApiOperation({
    summary: 'Publish a draft',
    description:
      'Creates a post, or edits the post that the draft is for, and deletes the draft in the same transaction. Missing fields are named in `errors`.',
  })
  @ApiCreatedResponse({ ...NEW_POST, description: 'a new post' })
  @ApiOkResponse({ type: PostDto, description: 'the post that was edited', headers: POST_HEADERS })
  @ApiProblems('draft_not_found', 'post_not_found', 'forbidden', 'draft_incomplete', 'precondition_failed')
  @ApiProblems('content_rejected', 'newcomer_content', 'newcomer_limit')
  async publishDraft(
    @DraftId id: ObjectId,
    @WriteRequest() write: WriteRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Query() { keepDate }: PublishDraftQuery,
    @IfMatch() ifMatch?: string,
  ): Promise<PostJson> {
    const published = await this.publisher.publish(id, write, ifMatch, keepDate);
    const { status, headers, body } = publishedResponse(published);
    void reply.status(status).headers(headers);
    return body;
  }

  @Publishes()
  @Post(':id/restore')
  @Idempotent()
  @ApiOperation({
    summary: 'Restore a deleted post',
    description:
      'The post has its id, visibility, votes and comments again. A post deleted before 0.4.0 returns as a new post without them.',
  })
  @ApiCreatedResponse({ ...NEW_POST, description: 'the restored post' })
  @ApiProblems('draft_not_found', 'precondition_failed', 'content_rejected', 'newcomer_content', 'newcomer_limit')
  async restoreDraft(
    @TrashedDraftId id: ObjectId,
    @WriteRequest() write: WriteRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PostJson> {
    const { headers, body } = publishedResponse(await this.publisher.restore(id, write));
    void reply.headers(headers);
    return body;
  }

  @Publishes()
  @Put(':id/schedule')
  @ApiOperation({
    summary: 'Schedule a draft',
    description:
      '5 minutes to a year ahead, by the clock of the database; published within seconds of that time. It can be saved until then. A draft that cannot be published becomes `failed` with a reason.',
  })
  @ApiOkResponse({ type: DraftCardDto })
  @ApiProblems('draft_not_found', 'draft_incomplete', 'invalid_schedule')
  scheduleDraft(
    @DraftId id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Body() { publishAt }: ScheduleDraft,
  ): Promise<DraftCardDto> {
    return this.publisher.schedule(id, viewer, new Date(publishAt));
  }

  @ForRestricted('removal')
  @Delete(':id/schedule')
  @ApiOperation({ summary: 'Cancel the schedule of a draft', description: 'Idempotent.' })
  @ApiOkResponse({ type: DraftCardDto })
  @ApiProblems('draft_not_found')
  unscheduleDraft(@DraftId id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<DraftCardDto> {
    return this.publisher.unschedule(id, viewer);
  }

  @Put(':id/share')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    summary: 'Create a share link of a draft',
    description: 'Valid for 30 days; it shows the current text. A new link replaces the previous one.',
  })
  @ApiOkResponse({ type: DraftLinkDto })
  @ApiProblems('draft_not_found')
  shareDraft(@DraftId id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<DraftLinkDto> {
    return this.sharing.share(id, viewer);
  }

  @ForRestricted('removal')
  @Delete(':id/share')
  @NoContent()
  @ApiOperation({ summary: 'Revoke the share link of a draft', description: 'Idempotent.' })
  @ApiProblems('draft_not_found')
  unshareDraft(@DraftId id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<void> {
    return this.sharing.unshare(id, viewer);
  }
}
