import { Body, Controller, Get, Param, Patch, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ObjectId } from 'mongodb';
import { Cached } from '../platform/cache/cached.decorator.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { IfMatch } from '../platform/http/if-match.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { headerRefs } from '../platform/http/openapi/document-headers.js';
import { IdsQuery } from '../platform/http/validation/ids.query.js';
import type { Viewer } from '../platform/access/viewer.js';
import { NewcomerLimit } from '../platform/rate-limit/newcomer-limit.decorator.js';
import { UpdateProfile } from './dto/user-input.dto.js';
import { ProfileService } from './profile.service.js';
import { OwnUserDto, ownUserEtag, ProfileDto, toOwnUser, toProfile, toPublicUser, UserListDto } from './user.dto.js';
import { profilePath, USERNAME_PARAM } from './username.js';
import { UsersService } from './users.service.js';

/** Has no username, because "Try it out" would change the name permanently. */
const PROFILE_EXAMPLE = {
  bio: 'Notes on engines and poetry.',
  location: 'London',
  interests: ['mathematics', 'weaving'],
};

@ApiTags('users')
@Controller('users')
@TokenScope('read', 'profile')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly profiles: ProfileService,
  ) {}

  @Get()
  @Access('public')
  @ApiOperation({
    summary: 'List accounts by id',
    description: 'Up to 100, in the order of the ids. Unknown ids are omitted.',
  })
  @ApiOkResponse({ type: UserListDto })
  async listUsersById(@Query() query: IdsQuery): Promise<UserListDto> {
    return { data: (await this.users.findUsers(query.ids.map((id) => new ObjectId(id)))).map(toPublicUser) };
  }

  @ForRestricted('emptying')
  @NewcomerLimit('profile changes')
  @Patch('me')
  @Access('required')
  @ApiOperation({
    summary: 'Update my profile',
    description:
      'Omitted fields stay unchanged. A new username, name or image reaches posts and comments in the background; an earlier username redirects to the profile. `If-Match` takes the ETag of `GET /v1/auth/me`.',
  })
  @ApiBody({ type: UpdateProfile, examples: { profile: { value: PROFILE_EXAMPLE } } })
  @ApiOkResponse({ type: OwnUserDto, headers: headerRefs('ETag') })
  @ApiProblems('user_not_found', 'username_taken', 'username_limit', 'precondition_failed')
  @ApiProblems('content_rejected', 'newcomer_content')
  async updateProfile(
    @CurrentViewer() viewer: Viewer,
    @Body() changes: UpdateProfile,
    @Res({ passthrough: true }) reply: FastifyReply,
    @IfMatch() ifMatch?: string,
  ): Promise<OwnUserDto> {
    const user = toOwnUser(await this.profiles.update(viewer._id, changes, ifMatch));
    void reply.header('ETag', ownUserEtag(user));
    return user;
  }

  @Get(':username')
  @Access('public')
  @Cached<ProfileDto>({
    query: {},
    path: ({ params }) => profilePath(params['username']),
    tags: (_, body) => [`user:${body.id}`],
  })
  @ApiOperation({
    summary: 'Get a profile',
    description: 'An earlier username returns the same profile; `username` is the current one.',
  })
  @ApiParam(USERNAME_PARAM)
  @ApiOkResponse({ type: ProfileDto })
  @ApiProblems('user_not_found')
  async getUser(@Param('username') username: string): Promise<ProfileDto> {
    return toProfile(await this.users.getProfile(username));
  }
}
