// Account management for moderators and admins over HTTP: list accounts, read one, change roles, decide on registrations. The module owns
// no rows: accounts belong to users, roles and addresses to auth, pending registrations to registration, the log to moderation.
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { IdentitiesModule } from '../auth/providers/identities.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { UsersModule } from '../users/users.module.js';
import { ManagedAccountsController } from './managed-accounts.controller.js';
import { ManagedAccountsService } from './managed-accounts.service.js';
import { RelatedAccountsService } from './related-accounts.service.js';
import { SignUpDecisionsService } from './sign-up-decisions.service.js';
import { SignUpsController } from './sign-ups.controller.js';

@Module({
  imports: [AuthModule, IdentitiesModule, ModerationModule, RegistrationModule, UsersModule],
  controllers: [ManagedAccountsController, SignUpsController],
  providers: [ManagedAccountsService, RelatedAccountsService, SignUpDecisionsService],
})
export class AdminModule {}
