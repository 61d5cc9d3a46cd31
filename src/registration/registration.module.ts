// Admission of new accounts: invites, and registrations that wait for a moderator. auth takes a use of an invite, or adds a registration
// that waits, in the transaction of the account; admin decides. Invites are deleted with the account that made them.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ModerationModule } from '../moderation/moderation.module.js';
import { Invite, InviteSchema } from './invite.schema.js';
import { InvitesController } from './invites.controller.js';
import { Invites } from './invites.service.js';
import { InvitesSubscriber } from './invites.subscriber.js';
import { SignUp, SignUpSchema } from './sign-up.schema.js';
import { SignUps } from './sign-ups.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Invite.name, schema: InviteSchema },
      { name: SignUp.name, schema: SignUpSchema },
    ]),
    ModerationModule,
  ],
  controllers: [InvitesController],
  providers: [Invites, SignUps, InvitesSubscriber],
  exports: [Invites, SignUps],
})
export class RegistrationModule {}
