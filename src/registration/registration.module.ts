// Admission of new accounts: invites, registrations pending approval, and networks of new and banned accounts. auth consumes an invite or
// adds a pending registration in the transaction of the account; admin approves or rejects the registration. Invites and
// networks are deleted with their account.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ModerationModule } from '../moderation/moderation.module.js';
import { AccountNetwork, AccountNetworkSchema } from './account-network.schema.js';
import { AccountNetworksService } from './account-networks.service.js';
import { Invite, InviteSchema } from './invite.schema.js';
import { InvitesController } from './invites.controller.js';
import { InvitesService } from './invites.service.js';
import { RegistrationSubscriber } from './registration.subscriber.js';
import { SignUp, SignUpSchema } from './sign-up.schema.js';
import { SignUpsService } from './sign-ups.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Invite.name, schema: InviteSchema },
      { name: AccountNetwork.name, schema: AccountNetworkSchema },
      { name: SignUp.name, schema: SignUpSchema },
    ]),
    ModerationModule,
  ],
  controllers: [InvitesController],
  providers: [AccountNetworksService, InvitesService, SignUpsService, RegistrationSubscriber],
  exports: [AccountNetworksService, InvitesService, SignUpsService],
})
export class RegistrationModule {}
