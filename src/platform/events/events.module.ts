// Events: what a committed write publishes to every process of every host. EventPublisher writes a row in the transaction;
// EventStream, in one process of each host, reads the rows from a change stream and forwards them to the others, and knows how
// current it is. The cache, ended tokens, search and the list of hosts subscribe.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { EventPublisher } from './event-publisher.js';
import { EventStream } from './event-stream.js';
import { StoredEventSchema, StoredEvent } from './event.schema.js';

@Module({
  imports: [MongooseModule.forFeature([{ name: StoredEvent.name, schema: StoredEventSchema }])],
  providers: [EventPublisher, EventStream],
  exports: [EventPublisher, EventStream],
})
export class EventsModule {}
