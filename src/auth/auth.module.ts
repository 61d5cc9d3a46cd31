// Identity: registration, sign-in and sign-out, refresh tokens, passwords, e-mail addresses, roles, and the deletion of an account.
// Access tokens are issued here and verified by platform/auth without a database; EndedTokens has the revoked ones.
// Other ways to sign in (recovery, providers, second factors, API tokens) are modules of their own that use these services.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { UsersModule } from '../users/users.module.js';
import { AccountMails } from './account-mails.js';
import { AccountsService } from './accounts.service.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';
import { Credential, CredentialSchema } from './credential.schema.js';
import { CredentialsService } from './credentials.service.js';
import { EmailConfirmations } from './email-confirmations.js';
import { EndedTokens } from './ended-tokens.js';
import { LongLivedTokens } from './long-lived-tokens.js';
import { OneTimeToken, OneTimeTokenSchema } from './one-time-token.schema.js';
import { OneTimeTokens } from './one-time-tokens.service.js';
import { PasswordHasher } from './password-hasher.js';
import { SecondFactorGate } from './second-factor-gate.js';
import { Session, SessionSchema } from './session.schema.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsService } from './sessions.service.js';
import { SignInFailure, SignInFailureSchema } from './sign-in-failure.schema.js';
import { SignInDelays } from './sign-in-delays.js';
import { SignInMethods } from './sign-in-methods.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Credential.name, schema: CredentialSchema },
      { name: Session.name, schema: SessionSchema },
      { name: OneTimeToken.name, schema: OneTimeTokenSchema },
      { name: SignInFailure.name, schema: SignInFailureSchema },
    ]),
    UsersModule,
  ],
  controllers: [AuthController, SessionsController],
  providers: [
    AuthService,
    AccountsService,
    CredentialsService,
    SessionsService,
    PasswordHasher,
    SignInDelays,
    EndedTokens,
    OneTimeTokens,
    LongLivedTokens,
    SecondFactorGate,
    AccountMails,
    EmailConfirmations,
    SignInMethods,
  ],
  exports: [
    AuthService,
    AccountsService,
    CredentialsService,
    SessionsService,
    SignInDelays,
    EndedTokens,
    OneTimeTokens,
    LongLivedTokens,
    SecondFactorGate,
    PasswordHasher,
    AccountMails,
    EmailConfirmations,
    SignInMethods,
  ],
})
export class AuthModule {}
