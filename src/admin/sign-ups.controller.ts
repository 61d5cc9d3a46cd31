import { Controller, Delete, Get, Header, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import type { Viewer } from '../platform/access/viewer.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../platform/http/openapi/no-content.decorator.js';
import { IdParam } from '../platform/http/openapi/id-param.decorator.js';
import { PageQuery } from '../platform/http/pagination/page.query.js';
import { SignUpsService } from '../registration/sign-ups.service.js';
import { SignUpPage, toSignUp } from './dto/sign-up.dto.js';
import { SignUpDecisionsService } from './sign-up-decisions.service.js';

const SignUpId = IdParam({ name: 'id', description: 'of the registration', example: '6650c3a2f1d2b3c4d5e6f7b3' });

/** Registrations pending approval, if `REGISTRATION=approval`. */
@ApiTags('moderation')
@Controller('admin/sign-ups')
@Access('required', 'moderator')
@TokenScope('account')
export class SignUpsController {
  constructor(
    private readonly signUps: SignUpsService,
    private readonly decisions: SignUpDecisionsService,
  ) {}

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @ApiOperation({
    summary: 'List pending registrations',
    description: 'For moderators. The oldest first, without e-mail addresses.',
  })
  @ApiOkResponse({ type: SignUpPage })
  async listSignUps(@Query() query: PageQuery): Promise<SignUpPage> {
    return this.signUps.list(query).then(({ data, page }) => ({ data: data.map(toSignUp), page }));
  }

  @Put(':id/approval')
  @NoContent()
  @ApiOperation({
    summary: 'Approve a registration',
    description:
      'For moderators. Creates the account and sends a mail. Returns 409 if another account has taken the name.',
  })
  @ApiProblems('sign_up_not_found', 'username_taken', 'email_taken', 'content_rejected')
  async approveSignUp(@CurrentViewer() viewer: Viewer, @SignUpId id: ObjectId): Promise<void> {
    await this.decisions.approve(viewer, id);
  }

  @Delete(':id')
  @NoContent()
  @ApiOperation({
    summary: 'Reject a registration',
    description: 'For moderators. Deletes the registration and sends a mail.',
  })
  @ApiProblems('sign_up_not_found')
  async rejectSignUp(@CurrentViewer() viewer: Viewer, @SignUpId id: ObjectId): Promise<void> {
    await this.decisions.reject(viewer, id);
  }
}
