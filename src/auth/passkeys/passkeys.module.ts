// Passkeys (WebAuthn): the public keys of an account (Passkeys), sign-in with one (PasskeySignInService), and the checks of a browser's
// response (ceremonies.ts). SignInMethods counts passkeys as a way to sign in beside the password.
// The work queue deletes the passkeys of a deleted account.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth.module.js';
import { UsersModule } from '../../users/users.module.js';
import { Passkey, PasskeySchema } from './passkey.schema.js';
import { PasskeySignInService } from './passkey-sign-in.service.js';
import { PasskeysSubscriber } from './passkeys.subscriber.js';
import { PasskeysController } from './passkeys.controller.js';
import { PasskeysService } from './passkeys.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: Passkey.name, schema: PasskeySchema }]), AuthModule, UsersModule],
  controllers: [PasskeysController],
  providers: [PasskeysService, PasskeySignInService, PasskeysSubscriber],
})
export class PasskeysModule {}
