import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SignedInDto } from '../auth/account.dto.js';
import { Client, type ClientInfo } from '../auth/client-info.js';
import { UsesRefreshCookie } from '../auth/refresh-cookie.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Cached } from '../platform/cache/cached.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { SITE_TAG } from '../platform/site-settings/site-settings.schema.js';
import { FIRST_ACCOUNT_TAG } from '../users/users.events.js';
import { InstanceDto } from './dto/instance.dto.js';
import { SetupBody, UpdateInstance } from './dto/setup.dto.js';
import { InstanceService } from './instance.service.js';

const FRESH_MS = 30_000;

@ApiTags('sign-in')
@Controller('instance')
export class InstanceController {
  constructor(private readonly instance: InstanceService) {}

  @Get()
  @Access('public')
  @Cached<InstanceDto>({
    tags: (_, { needsSetup }) => (needsSetup ? [SITE_TAG, FIRST_ACCOUNT_TAG] : [SITE_TAG]),
    // Each page of the site reads it, and each change invalidates it.
    freshMs: () => FRESH_MS,
  })
  @ApiOperation({
    summary: 'Get the site',
    description: 'Its name, who may register, its languages, limits and sign-in providers.',
  })
  @ApiOkResponse({ type: InstanceDto })
  getInstance(): Promise<InstanceDto> {
    return this.instance.get();
  }

  @Patch()
  @Access('required', 'admin')
  @TokenScope('account')
  @ApiOperation({
    summary: 'Update the site',
    description:
      'For admins. Missing fields stay unchanged, and one that an environment variable sets cannot be changed.',
  })
  @ApiOkResponse({ type: InstanceDto })
  updateInstance(@CurrentViewer() viewer: Viewer, @Body() body: UpdateInstance): Promise<InstanceDto> {
    return this.instance.update(viewer, body);
  }

  @Post('setup')
  @HttpCode(200)
  @Access('public')
  @RateLimit('auth')
  @UsesRefreshCookie()
  @ApiOperation({
    summary: 'Create the first admin',
    description:
      'Names the site, too. Works once, while no account is an admin, with the code that the server prints at its start. Returns tokens of the admin.',
  })
  @ApiOkResponse({ type: SignedInDto })
  @ApiProblems('invalid_setup_code', 'setup_done', 'username_taken', 'email_taken', 'content_rejected')
  setUpInstance(@Body() body: SetupBody, @Client() client: ClientInfo): Promise<SignedInDto> {
    return this.instance.setUp(body, client);
  }
}
