// Repeatable POSTs: first responses by Idempotency-Key, stored in the transaction of the write they respond to. Routes opt in with
// `@Idempotent()`. Others ignore a key: responses with tokens (auth, API tokens) may not be stored, and uploads, exports and reverts have
// no need of it. `WriteRequest` is what every handler of a write hands to its service.
import { Global, Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { IDEMPOTENCY_KEY_MODEL, IdempotencyKeySchema } from './idempotency.schema.js';
import { IdempotencyService } from './idempotency.service.js';

@Global()
@Module({
  imports: [MongooseModule.forFeature([{ name: IDEMPOTENCY_KEY_MODEL, schema: IdempotencyKeySchema }])],
  providers: [IdempotencyService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
