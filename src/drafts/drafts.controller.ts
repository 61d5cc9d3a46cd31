import { Body, Controller, Delete, Get, Header, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ObjectId } from 'mongodb';
import { CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { IfMatch } from '../platform/http/if-match.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import type { EncodedJson } from '../platform/http/text-response.js';
import type { Page } from '../platform/http/pagination/page.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { Idempotent } from '../platform/idempotency/idempotency.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { HtmlDto } from '../posts/html/html.dto.js';
import { PostHtmlService } from '../posts/html/post-html.service.js';
import { type RevisionCardDto, RevisionDto, RevisionPageDto } from '../revisions/revision.dto.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { VersionParam } from '../revisions/version-param.decorator.js';
import { createdHeaders, DraftId, DraftCardDto, DraftDto, DraftPageDto, draftEtag } from './draft-view.js';
import { DraftsService } from './drafts.service.js';
import { CreateDraft, SaveDraft } from './dto/draft-input.dto.js';
import { DraftsQuery } from './dto/drafts.query.js';

/** Drafts of the author. Other accounts get 404. */
@ApiTags('drafts')
@Controller('drafts')
@TokenScope('read', 'posts')
export class DraftsController {
  constructor(
    private readonly drafts: DraftsService,
    private readonly html: PostHtmlService,
  ) {}

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: 'Create a draft',
    description:
      'Every field may be empty. With `postId` it starts as a copy of your post and edits it when published. At most 500 an account.',
  })
  @ApiCreatedResponse({ type: DraftDto, headers: headerRefs('Location', 'ETag') })
  @ApiProblems('too_many_drafts', 'draft_exists', 'post_not_found', 'forbidden')
  async createDraft(
    @WriteRequest() write: WriteRequest,
    @Body() fields: CreateDraft,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DraftDto> {
    const draft = await this.drafts.create(write, fields);
    void reply.headers(createdHeaders(draft));
    return draft;
  }

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List my drafts',
    description:
      'Last saved first, without their texts. `state=trashed` lists the posts that you deleted in the last 30 days instead.',
  })
  @ApiOkResponse({ type: DraftPageDto })
  listDrafts(@CurrentViewer() viewer: Viewer, @Query() query: DraftsQuery): Promise<Page<DraftCardDto>> {
    return this.drafts.list(viewer, query);
  }

  @Get(':id')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({ summary: 'Get a draft', description: 'Send its `ETag` as `If-Match` with the next save.' })
  @ApiOkResponse({ type: DraftDto, headers: headerRefs('ETag') })
  @ApiProblems('draft_not_found')
  async getDraft(
    @DraftId id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DraftDto> {
    return tagged(reply, await this.drafts.get(id, viewer));
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Save a draft',
    description:
      'For autosave. Requires `If-Match`: a tab that has not seen the last save gets 412. Returns the `ETag` for the next save, without the text; the replaced text is kept as a version.',
  })
  @ApiOkResponse({ type: DraftCardDto, headers: headerRefs('ETag') })
  @ApiProblems('draft_not_found', 'precondition_failed', 'precondition_required')
  async saveDraft(
    @DraftId id: ObjectId,
    @WriteRequest() write: WriteRequest,
    @Body() fields: SaveDraft,
    @Res({ passthrough: true }) reply: FastifyReply,
    @IfMatch({ required: true }) ifMatch?: string,
  ): Promise<DraftCardDto> {
    return tagged(reply, await this.drafts.save(id, write, fields, ifMatch));
  }

  @ForRestricted('removal')
  @Delete(':id')
  @NoContent('deleted')
  @ApiOperation({
    summary: 'Delete a draft',
    description: 'With its versions. The post that it edits stays unchanged.',
  })
  @ApiProblems('draft_not_found', 'precondition_failed')
  deleteDraft(@DraftId id: ObjectId, @CurrentViewer() viewer: Viewer, @IfMatch() ifMatch?: string): Promise<void> {
    return this.drafts.delete(id, viewer, ifMatch);
  }

  @Get(':id/preview')
  @Header('Cache-Control', 'private, no-cache')
  @RateLimit('previews')
  @ApiOperation({ summary: 'Preview a draft as HTML', description: 'Nothing is stored.' })
  @ApiOkResponse({ type: HtmlDto })
  @ApiProblems('draft_not_found', 'overloaded')
  async previewDraft(@DraftId id: ObjectId, @CurrentViewer() viewer: Viewer): Promise<EncodedJson> {
    return this.html.preview((await this.drafts.get(id, viewer)).content, viewer);
  }

  @Get(':id/versions')
  @ApiOperation({
    summary: 'List versions of a draft',
    description: 'Newest first: the newest 50, and the last one of each day for a year.',
  })
  @ApiOkResponse({ type: RevisionPageDto })
  @ApiProblems('draft_not_found')
  listDraftVersions(
    @DraftId id: ObjectId,
    @CurrentViewer() viewer: Viewer,
    @Query() query: PageQuery,
  ): Promise<Page<RevisionCardDto>> {
    return this.drafts.listVersions(id, viewer, query);
  }

  @Get(':id/versions/:version')
  @ApiOperation({
    summary: 'Get a version of a draft',
    description: 'To restore a version, save its text as the draft.',
  })
  @ApiOkResponse({ type: RevisionDto })
  @ApiProblems('draft_not_found', 'revision_not_found')
  getDraftVersion(
    @DraftId id: ObjectId,
    @VersionParam() version: number,
    @CurrentViewer() viewer: Viewer,
  ): Promise<RevisionDto> {
    return this.drafts.getVersion(id, version, viewer);
  }
}

function tagged<Draft extends DraftCardDto>(reply: FastifyReply, draft: Draft): Draft {
  void reply.header('ETag', draftEtag(draft));
  return draft;
}
