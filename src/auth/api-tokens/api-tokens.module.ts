// API tokens: what programs of an account sign in with, each with its scopes and perhaps an end. A row per token, of which only the
// hash is kept. The access guard finds them through ApiTokenGate and keeps them for a minute; revocations are published like those of sign-ins
// that end. All of an account end with it, and when its role becomes a lower one.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth.module.js';
import { UsersModule } from '../../users/users.module.js';
import { API_TOKEN_MODEL, ApiTokenSchema } from './api-token.schema.js';
import { ApiTokensController } from './api-tokens.controller.js';
import { ApiTokensService } from './api-tokens.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: API_TOKEN_MODEL, schema: ApiTokenSchema }]), AuthModule, UsersModule],
  controllers: [ApiTokensController],
  providers: [ApiTokensService],
})
export class ApiTokensModule {}
