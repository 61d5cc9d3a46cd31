import { Body, Controller, Delete, HttpCode } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ObjectId } from 'mongodb';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import type { Viewer } from '../platform/access/viewer.js';
import { AccountEndService } from './account-end.service.js';
import { Client, type ClientInfo } from './client.decorator.js';
import { DeleteAccountBody } from './dto/sign-in.dto.js';

/** The end of an account needs its password, and so belongs to this room. */
@ApiTags('users')
@Controller('users/me')
export class AccountController {
  constructor(private readonly accounts: AccountEndService) {}

  @Delete()
  @HttpCode(204)
  @Access('required')
  @ApiOperation({
    summary: 'End my account',
    description:
      'For good: with the answer the profile, the posts, comments, votes, saves and follows of the account are gone from every ' +
      'read and every token has ended (of an account with tens of thousands of them the rest follows in the background). The ' +
      'username stays taken; the e-mail address can be used again.',
  })
  @ApiNoContentResponse()
  @ApiProblems('invalid_credentials', 'user_not_found')
  async deleteAccount(
    @CurrentViewer() viewer: Viewer,
    @Body() body: DeleteAccountBody,
    @Client() client: ClientInfo,
  ): Promise<void> {
    await this.accounts.end(new ObjectId(viewer.id), body.password, client);
  }
}
