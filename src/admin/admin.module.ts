// What moderators and admins do with accounts over HTTP: the list of all accounts, one account, roles. It owns no rows: accounts belong
// to users, roles and addresses to auth, the log to moderation.
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { UsersModule } from '../users/users.module.js';
import { ManagedAccountsController } from './managed-accounts.controller.js';
import { ManagedAccounts } from './managed-accounts.service.js';

@Module({
  imports: [AuthModule, ModerationModule, UsersModule],
  controllers: [ManagedAccountsController],
  providers: [ManagedAccounts],
})
export class AdminModule {}
