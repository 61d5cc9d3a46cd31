import { Body, Controller, Delete, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import { Access } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { WriteRequest } from '../platform/idempotency/write-request.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { CollectionFollowDto, VoteBody, VoteDto } from './dto/interaction.dto.js';
import { COLLECTION_RESOURCE } from '../collections/collection-view.js';
import { InteractionsService } from './interactions.service.js';

const CollectionId = COLLECTION_RESOURCE.param('id');
const EXACT = 'Idempotent. Returns your state and the exact counts after the change.';
const TAKEN_BACK = 'Idempotent, also for a private or deleted collection, whose counts are null.';

/** Votes and followers of collections. */
@ApiTags('interactions')
@Access('required')
@Controller('collections/:id')
@TokenScope('read', 'interactions')
export class CollectionInteractionsController {
  constructor(private readonly interactions: InteractionsService) {}

  @NewcomerLimit('votes')
  @Put('vote')
  @ApiOperation({ summary: 'Vote on a collection', description: EXACT })
  @ApiOkResponse({ type: VoteDto })
  @ApiProblems('blocked', 'collection_not_found')
  voteCollection(
    @WriteRequest() write: WriteRequest,
    @CollectionId id: ObjectId,
    @Body() body: VoteBody,
  ): Promise<VoteDto> {
    return this.interactions.vote(write, 'Collection', id, body.value);
  }

  @ForRestricted('removal')
  @Delete('vote')
  @ApiOperation({ summary: 'Remove my vote from a collection', description: TAKEN_BACK })
  @ApiOkResponse({ type: VoteDto })
  unvoteCollection(@WriteRequest() write: WriteRequest, @CollectionId id: ObjectId): Promise<VoteDto> {
    return this.interactions.vote(write, 'Collection', id, null);
  }

  @NewcomerLimit('follows')
  @Put('follow')
  @ApiOperation({ summary: 'Follow a collection', description: EXACT })
  @ApiOkResponse({ type: CollectionFollowDto })
  @ApiProblems('blocked', 'collection_not_found')
  followCollection(@WriteRequest() write: WriteRequest, @CollectionId id: ObjectId): Promise<CollectionFollowDto> {
    return this.interactions.follow(write, id, true);
  }

  @ForRestricted('removal')
  @Delete('follow')
  @ApiOperation({ summary: 'Unfollow a collection', description: TAKEN_BACK })
  @ApiOkResponse({ type: CollectionFollowDto })
  unfollowCollection(@WriteRequest() write: WriteRequest, @CollectionId id: ObjectId): Promise<CollectionFollowDto> {
    return this.interactions.follow(write, id, false);
  }
}
