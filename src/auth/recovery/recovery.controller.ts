import { Body, Controller, HttpCode, Post, Put } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Client, type ClientInfo } from '../client-info.js';
import { REAUTHENTICATION_ERRORS } from '../password-rules.js';
import { Access, CurrentViewer } from '../../platform/access/access.decorator.js';
import { TokenScope } from '../../platform/access/token-scope.js';
import { ForRestricted } from '../../platform/access/verified-email.js';
import type { Viewer } from '../../platform/access/viewer.js';
import { ApiProblems } from '../../platform/http/openapi/api-problem.decorator.js';
import { NoContent } from '../../platform/http/openapi/no-content.decorator.js';
import { RateLimit } from '../../platform/rate-limit/rate-limit.decorator.js';
import { AskPasswordResetBody, ChangeEmailBody, ResetPasswordBody } from './dto/recovery.dto.js';
import { TokenBody } from '../mail-token.js';
import { EmailAddressesService } from './email-addresses.service.js';
import { PasswordResetsService } from './password-resets.service.js';

/** Account recovery and the e-mail address. Tokens of mails are in bodies, because URLs are logged. */
@ApiTags('recovery')
@Controller('auth')
@TokenScope('account')
@ForRestricted()
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
    summary: 'Request a password reset',
    description:
      'The response is the same whether or not an account has this address. The mail is valid for an hour; an address gets at most five an hour. An account without a password can set one this way.',
  })
  @ApiAcceptedResponse()
  async askPasswordReset(@Body() { email }: AskPasswordResetBody): Promise<void> {
    await this.resets.request(email);
  }

  @Put('password-reset')
  @NoContent()
  @Access('public')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Reset the password',
    description: 'Send the token from the mail. Revokes all sessions and API tokens, and verifies the e-mail address.',
  })
  @ApiProblems('invalid_reset_token')
  async resetPassword(@Body() body: ResetPasswordBody, @Client() client: ClientInfo): Promise<void> {
    await this.resets.reset(body, client);
  }

  @Post('email-verification')
  @HttpCode(202)
  @Access('required')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Request an address confirmation',
    description: 'Sends the mail again that a new account gets. A verified address gets none.',
  })
  @ApiAcceptedResponse()
  @ApiProblems('user_not_found')
  async askEmailVerification(@CurrentViewer() viewer: Viewer): Promise<void> {
    await this.addresses.requestVerification(viewer);
  }

  @Put('email-verification')
  @NoContent()
  @Access('public')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Confirm an e-mail address',
    description:
      'Send the token from the mail; no sign-in is needed. A pending change of the address takes effect. Refresh the access token: it says whether the address is verified.',
  })
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
      'Sends a mail to the new address; the change takes effect when its token is confirmed. The previous, verified address can undo it for 72 hours, and the next change has to wait as long. The response is the same when another account has the address.',
  })
  @ApiAcceptedResponse()
  @ApiProblems(...REAUTHENTICATION_ERRORS, 'email_changed_lately', 'mail_domain_refused')
  async changeEmail(
    @CurrentViewer() viewer: Viewer,
    @Body() body: ChangeEmailBody,
    @Client() client: ClientInfo,
  ): Promise<void> {
    await this.addresses.change(viewer, body, client);
  }

  @Put('email/undo')
  @NoContent()
  @Access('public')
  @RateLimit('auth')
  @ApiOperation({
    summary: 'Undo a change of the e-mail address',
    description:
      'Restores the previous e-mail address and signs out everywhere. For owners whose account was taken over: the password is void, and sign-in methods that were added since the day before the change are removed.',
  })
  @ApiProblems('invalid_email_token', 'email_taken')
  async undoEmailChange(@Body() { token }: TokenBody): Promise<void> {
    await this.addresses.undo(token);
  }
}
