// An optional Kafka topic (EVENTS_KAFKA_BROKERS), consumed by the jobs process of one host at a time: TopicConsumer passes messages to
// the one feature that registers for them, with the offsets (ConsumerOffsets) to move in the same transaction. docs/kafka.md is the guide.
import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Readiness } from '../../platform/metrics/readiness.js';
import { ConsumerOffsets } from '../../platform/kafka/consumer-offsets.js';
import { TopicConsumer } from './topic-consumer.js';

@Global()
@Module({ providers: [ConsumerOffsets, TopicConsumer], exports: [TopicConsumer] })
export class KafkaModule {
  constructor(readiness: Readiness, consumer: TopicConsumer, { events }: AppConfig) {
    if (events.kafka !== undefined) readiness.addDetail('kafka', () => consumer.state);
  }
}
