import { Body, Controller, HttpCode, Post, Put } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Client, type ClientInfo } from '../auth/client-info.js';
import { PROOF_PROBLEMS } from '../auth/password-rules.js';
import { Access, CurrentViewer } from '../platform/access/access.decorator.js';
import { TokenScope } from '../platform/access/token-scope.js';
import { ForUnverified } from '../platform/access/verified-email.js';
import type { Viewer } from '../platform/access/viewer.js';
import { Withdraws } from '../platform/cache/withdraws.decorator.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { RateLimit } from '../platform/rate-limit/rate-limit.decorator.js';
import { AskPasswordResetBody, ChangeEmailBody, ResetPasswordBody, TokenBody } from './dto/recovery.dto.js';
import { EmailAddressesService } from './email-addresses.service.js';
import { PasswordResetsService } from './password-resets.service.js';

/** Ways back into an account, and its address. Tokens of mails come in bodies: addresses of requests are logged. */
@ApiTags('recovery')
@Controller('auth')
@TokenScope('account')
@ForUnverified()
export class RecoveryController {
  constructor(
    private readonly resets: PasswordResetsService,
    private readonly addresses: EmailAddressesService,
  ) {}

  @Post('password-reset')
  @HttpCode(202)
  @Access('public')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Ask for a mail to choose a new password',
    description:
      'The same answer after the same time whether there is an account with this address or not. The mail is good for an hour; ' +
      'one address gets five of them an hour at most. An account without a password gets one in this way.',
  })
  @ApiAcceptedResponse()
  async askPasswordReset(@Body() { email }: AskPasswordResetBody): Promise<void> {
    await this.resets.ask(email);
  }

  @Withdraws()
  @Put('password-reset')
  @HttpCode(204)
  @Access('public')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Choose a new password by the token of a mail',
    description: 'Ends every sign-in and API token of the account. The e-mail address is verified by it.',
  })
  @ApiNoContentResponse()
  @ApiProblems('invalid_reset_token')
  async resetPassword(@Body() body: ResetPasswordBody, @Client() client: ClientInfo): Promise<void> {
    await this.resets.reset(body, client);
  }

  @Post('email-verification')
  @HttpCode(202)
  @Access('required')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Ask for a mail to verify my e-mail address',
    description: 'A new account gets one by itself. Where the address is verified, nothing is sent.',
  })
  @ApiAcceptedResponse()
  @ApiProblems('user_not_found')
  async askEmailVerification(@CurrentViewer() viewer: Viewer): Promise<void> {
    await this.addresses.askVerification(viewer);
  }

  @Put('email-verification')
  @HttpCode(204)
  @Access('public')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Verify an e-mail address by the token of a mail',
    description:
      'Needs no signing in: the mail may be read on another device. Where the address was to change, it changes now. The ' +
      'tokens that the account has can do from now on what a verified address allows.',
  })
  @ApiNoContentResponse()
  @ApiProblems('invalid_email_token', 'email_taken', 'email_changed_lately')
  async confirmEmail(@Body() { token }: TokenBody): Promise<void> {
    await this.addresses.confirm(token);
  }

  @Put('email')
  @HttpCode(202)
  @Access('required')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Change my e-mail address',
    description:
      'A mail goes to the new address; the change takes effect when its token comes back (`PUT /v1/auth/email-verification`). The ' +
      'address before, if it was verified, gets a mail that can undo it for 72 hours, and the next change has to wait as long. The ' +
      'same answer where another account has the address: then the mail says so.',
  })
  @ApiAcceptedResponse()
  @ApiProblems(...PROOF_PROBLEMS, 'email_changed_lately')
  async changeEmail(
    @CurrentViewer() viewer: Viewer,
    @Body() body: ChangeEmailBody,
    @Client() client: ClientInfo,
  ): Promise<void> {
    await this.addresses.change(viewer, body, client);
  }

  @Withdraws()
  @Put('email/undo')
  @HttpCode(204)
  @Access('public')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Undo a change of the e-mail address by the token of a mail',
    description:
      'For an owner whose account was taken: the account has its address before again, its password is good no longer, every sign-in ' +
      'and API token ends, passkeys, linked providers and an authenticator app that were added since the day before the change are ' +
      'removed, and a mail to choose a new password goes to the address.',
  })
  @ApiNoContentResponse()
  @ApiProblems('invalid_email_token', 'email_taken')
  async undoEmailChange(@Body() { token }: TokenBody): Promise<void> {
    await this.addresses.undo(token);
  }
}
