// Account recovery: password resets by mail, verification of the address, its change, and the undo of a change. Tokens, passwords,
// sessions and mail texts belong to auth; this module has the routes and their effects.
// A task looks up an address after the response (docs/adr/0044), so that response times reveal nothing.
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
