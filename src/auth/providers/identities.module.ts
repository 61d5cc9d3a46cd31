// Signing in with accounts that people have elsewhere, by OpenID Connect: the way to a provider and back, the code that a client
// exchanges, and which identities belong to which account. Rooms that take a way in away ask SignInMethods of auth, where this room
// says how many it has. The rows go when an account ends.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth.module.js';
import { IdentitiesCleanup } from './identities.subscriber.js';
import { IdentitiesController } from './identities.controller.js';
import { IdentitiesService } from './identities.service.js';
import { IDENTITY_MODEL, IdentitySchema } from './identity.schema.js';
import { OidcProviders } from './oidc-providers.js';
import { ProviderSignInService } from './provider-sign-in.service.js';
import { SignInFlows } from './sign-in-flow.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: IDENTITY_MODEL, schema: IdentitySchema }]), AuthModule],
  controllers: [IdentitiesController],
  providers: [IdentitiesService, ProviderSignInService, OidcProviders, SignInFlows, IdentitiesCleanup],
})
export class IdentitiesModule {}
