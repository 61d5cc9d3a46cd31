// An optional Kafka topic (EVENTS_KAFKA_BROKERS) with views, reads and shares: TopicConsumer is a member of a consumer group in the jobs
// process of each host, EventConsumerService counts the events as those over HTTP. docs/kafka.md is the guide.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AppConfig } from '../../config/app-config.js';
import { MetricsModule } from '../../platform/metrics/metrics.module.js';
import { Readiness } from '../../platform/metrics/readiness.js';
import { UsersModule } from '../../users/users.module.js';
import { ViewsModule } from '../../views/views.module.js';
import { DeadEvent, DeadEventSchema } from './dead-event.schema.js';
import { EventConsumerService } from './event-consumer.service.js';
import { TopicConsumer } from './topic-consumer.js';

@Module({
  imports: [
    MongooseModule.forFeature([{ name: DeadEvent.name, schema: DeadEventSchema }]),
    UsersModule,
    ViewsModule,
    MetricsModule,
  ],
  providers: [EventConsumerService, TopicConsumer],
})
export class KafkaModule {
  constructor(readiness: Readiness, consumer: TopicConsumer, { events }: AppConfig) {
    if (events.kafka !== undefined) readiness.addDetail('kafka', () => consumer.state);
  }
}
