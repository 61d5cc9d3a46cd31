// Events: messages of committed writes to every process of every host. Transaction.publish adds a row to the transaction;
// EventStream, in one process of each host, reads the rows from a change stream, forwards them to the others, and measures
// the lag. The cache, revoked tokens, search and the list of hosts subscribe.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { EventPublisher } from './event-publisher.js';
import { EventStream } from './event-stream.js';
import { StoredEventSchema, StoredEvent } from './event.schema.js';
import { StreamTrust } from './stream-trust.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: StoredEvent.name, schema: StoredEventSchema }])],
  providers: [EventPublisher, EventStream, StreamTrust],
  exports: [EventPublisher, EventStream, StreamTrust],
})
export class EventsModule {}
