// Account recovery: password resets by mail, verification of the address, its change, and the undo of a change. Tokens, passwords,
// sessions and mail texts belong to auth; this module has the routes and their effects.
// A task looks up an address after the response (docs/adr/0044), so that response times reveal nothing.
import { Module, type OnModuleInit } from '@nestjs/common';
import type { Binary } from 'mongodb';
import { TaskHandlers } from '../../platform/work-queue/task-handlers.js';
import { AuthModule } from '../auth.module.js';
import { EmailAddressesService } from './email-addresses.service.js';
import { PasswordResetsService } from './password-resets.service.js';
import { RecoveryController } from './recovery.controller.js';
import { PASSWORD_RESET_REQUESTED } from './recovery.events.js';

@Module({
  imports: [AuthModule],
  controllers: [RecoveryController],
  providers: [PasswordResetsService, EmailAddressesService],
})
export class RecoveryModule implements OnModuleInit {
  constructor(
    private readonly handlers: TaskHandlers,
    private readonly resets: PasswordResetsService,
  ) {}

  onModuleInit(): void {
    const run = ({ payload }: { payload: Binary }) => this.resets.sendLink(payload);
    // Not in the foreground, where it would wait for the rename of an account with very many posts.
    this.handlers.register(PASSWORD_RESET_REQUESTED, { name: 'recovery: password reset', lane: 'mail', run });
  }
}
