// API tokens: credentials for the programs of an account, each with scopes and an optional expiry. A row stores only the hash of its
// token. The access guard finds tokens through ApiTokenVerifier and caches them for a minute; revocations are published like those of
// sessions. The deletion of the account, or a lower role, revokes all of its tokens.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { IdempotencyModule } from '../../platform/idempotency/idempotency.module.js';
import { EventsModule } from '../../platform/events/events.module.js';
import { AuthModule } from '../auth.module.js';
import { UsersModule } from '../../users/users.module.js';
import { ApiToken, ApiTokenSchema } from './api-token.schema.js';
import { ApiTokensController } from './api-tokens.controller.js';
import { ApiTokensService } from './api-tokens.service.js';

@Module({
  imports: [
    IdempotencyModule,
    MongooseModule.forFeature([{ name: ApiToken.name, schema: ApiTokenSchema }]),
    AuthModule,
    UsersModule,
    EventsModule,
  ],
  controllers: [ApiTokensController],
  providers: [ApiTokensService],
})
export class ApiTokensModule {}
