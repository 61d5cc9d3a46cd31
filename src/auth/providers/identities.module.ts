// Sign-in with accounts at OpenID Connect providers: the redirect to a provider and back, the code that a client exchanges, and the
// identities linked to each account. SignInMethods counts the identities before a way to sign in is removed.
// The work queue deletes the identities of a deleted account.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MailModule } from '../../platform/mail/mail.module.js';
import { OutgoingModule } from '../../platform/safe-http/outgoing.module.js';
import { AuthModule } from '../auth.module.js';
import { IdentitiesSubscriber } from './identities.subscriber.js';
import { IdentitiesController } from './identities.controller.js';
import { IdentitiesService } from './identities.service.js';
import { Identity, IdentitySchema } from './identity.schema.js';
import { OidcProviders } from './oidc-providers.js';
import { ProviderSignInService } from './provider-sign-in.service.js';
import { SignInFlows } from './sign-in-flow.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: Identity.name, schema: IdentitySchema }]),
    AuthModule,
    MailModule,
    OutgoingModule,
  ],
  controllers: [IdentitiesController],
  providers: [IdentitiesService, ProviderSignInService, OidcProviders, SignInFlows, IdentitiesSubscriber],
  exports: [IdentitiesService, ProviderSignInService],
})
export class IdentitiesModule {}
