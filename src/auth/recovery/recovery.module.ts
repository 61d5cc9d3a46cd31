// Ways back into an account: a new password by mail, the verification of its address, its change and the undoing of that.
// Tokens, passwords, sessions and the words of mails belong to auth; this room has the routes and what follows from each.
// Whether an address has an account is looked up by the outbox, after the response (docs/adr/0044).
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth.module.js';
import { EmailAddressesService } from './email-addresses.service.js';
import { PasswordResetsService } from './password-resets.service.js';
import { RecoveryController } from './recovery.controller.js';

@Module({
  imports: [AuthModule],
  controllers: [RecoveryController],
  providers: [PasswordResetsService, EmailAddressesService],
})
export class RecoveryModule {}
