// Identity: registration, sign-in and sign-out, refresh tokens, passwords, e-mail addresses, roles, and the deletion of an account.
// Access tokens are issued here and verified by platform/access without a database; TokenRevocations has the revoked ones.
// Other ways to sign in (recovery, providers, second factors, API tokens) are modules of their own that use these services.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuditModule } from '../audit/audit.module.js';
import { DailyCounts } from '../audit/daily-counts.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { EventsModule } from '../platform/events/events.module.js';
import { MailModule } from '../platform/mail/mail.module.js';
import { SiteSettingsModule } from '../platform/site-settings/site-settings.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountMails } from './account-mails.js';
import { AccountCreationService } from './account-creation.service.js';
import { AccountsService } from './accounts.service.js';
import { AdmissionService } from './admission.service.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { Credential, CredentialSchema } from './credential.schema.js';
import { CredentialsService } from './credentials.service.js';
import { EmailConfirmations } from './email-confirmations.js';
import { TokenRevocations } from './token-revocations.js';
import { OneTimeToken, OneTimeTokenSchema } from './one-time-token.schema.js';
import { OneTimeTokensService } from './one-time-tokens.service.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordsService } from './passwords.service.js';
import { RefreshCookie } from './refresh-cookie.js';
import { SecondFactorPort } from './second-factor-port.js';
import { Session, SessionSchema } from './session.schema.js';
import { countActiveAccounts } from './active-accounts.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';
import { SignInFailure, SignInFailureSchema } from './sign-in-failure.schema.js';
import { StandingsService } from './standings.service.js';
import { LoginThrottle } from './login-throttle.js';
import { SignInMethods } from './sign-in-methods.js';

const SERVICES = [
  ...[AuthService, AccountCreationService, AccountsService, AdmissionService, CredentialsService, PasswordsService],
  ...[SessionsService, StandingsService, OneTimeTokensService, AccountMails, EmailConfirmations, LoginThrottle],
  ...[PasswordHasher, SecondFactorPort, SignInMethods, TokenRevocations],
];

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Credential.name, schema: CredentialSchema },
      { name: Session.name, schema: SessionSchema },
      { name: OneTimeToken.name, schema: OneTimeTokenSchema },
      { name: SignInFailure.name, schema: SignInFailureSchema },
    ]),
    AuditModule,
    ModerationModule,
    RegistrationModule,
    RulesModule,
    UsersModule,
    EventsModule,
    MailModule,
    SiteSettingsModule,
  ],
  controllers: [AuthController, SessionsController],
  providers: [...SERVICES, RefreshCookie],
  exports: SERVICES,
})
export class AuthModule {
  constructor(days: DailyCounts) {
    days.add('activeAccounts', countActiveAccounts);
  }
}
