import { Controller, Delete, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ForRestricted } from '../platform/access/verified-email.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { AuthService } from './auth.service.js';
import { EndSessionsQuery, SessionListDto, toSession } from './dto/session.dto.js';
import { SessionsService } from './sessions.service.js';

const SessionId = IdParam({ name: 'id', description: 'of the sign-in', example: '6650c3a2f1d2b3c4d5e6f70a' });

@ApiTags('account')
@Controller('auth/sessions')
@ForRestricted()
@TokenScope('account')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly auth: AuthService,
  ) {}

  @Get()
  @Access('required')
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List my active sessions',
    description: 'Most recently used first, at most 100. An access token can outlive its expired session by minutes.',
  })
  @ApiOkResponse({ type: SessionListDto })
  async listSessions(@CurrentViewer() viewer: Viewer): Promise<SessionListDto> {
    return { data: (await this.sessions.list(viewer._id)).map((listed) => toSession(listed, viewer)) };
  }

  @Delete(':id')
  @NoContent()
  @Access('required')
  @ApiOperation({
    summary: 'Revoke a session',
    description: 'Revokes the session and its tokens: every host rejects them within 1.5 seconds.',
  })
  @ApiProblems('session_not_found')
  async endSession(@CurrentViewer() viewer: Viewer, @SessionId id: ObjectId): Promise<void> {
    await this.sessions.endOne(viewer, id);
  }

  @Delete()
  @NoContent()
  @Access('required')
  @ApiOperation({
    summary: 'Revoke all my sessions',
    description: 'Revokes every session and its tokens, including the current one unless `keepCurrent` is set.',
  })
  async endSignIns(@CurrentViewer() viewer: Viewer, @Query() { keepCurrent }: EndSessionsQuery): Promise<void> {
    await this.auth.logoutEverywhere(viewer, keepCurrent !== undefined);
  }
}
