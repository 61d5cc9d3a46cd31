// Repeatable POSTs: first responses by Idempotency-Key, stored in the transaction of their write. Routes opt in with `@Idempotent()`.
// Other routes ignore a key: sessions of an account may not be stored. Responses with other secrets are stored encrypted.
// Every handler of a write passes a `WriteRequest` to its service.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { IdempotencyRecordSchema, IdempotencyRecord } from './idempotency.schema.js';
import { IdempotencyService } from './idempotency.service.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: IdempotencyRecord.name, schema: IdempotencyRecordSchema }])],
  providers: [IdempotencyService],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
