import { type DynamicModule, Module } from '@nestjs/common';
import type { AppConfig } from './config/app-config.js';
import { ApiTokensModule } from './auth/api-tokens/api-tokens.module.js';
import { ActionsModule } from './actions/actions.module.js';
import { AdminModule } from './admin/admin.module.js';
import { AuthModule } from './auth/auth.module.js';
import { ConfigModule } from './config/config.module.js';
import { BlocksModule } from './blocks/blocks.module.js';
import { BackupModule } from './platform/backup/backup.module.js';
import { BlobsModule } from './platform/blobs/blobs.module.js';
import { CacheModule } from './platform/cache/cache.module.js';
import { CpuPoolModule } from './platform/cpu-pool/cpu-pool.module.js';
import { ClusterModule } from './platform/cluster/cluster.module.js';
import type { ProcessRole } from './platform/cluster/process-role.js';
import { CollectionsModule } from './collections/collections.module.js';
import { CommentsModule } from './comments/comments.module.js';
import { DraftsModule } from './drafts/drafts.module.js';
import { FollowsModule } from './follows/follows.module.js';
import { ActivityModule } from './activity/activity.module.js';
import { AuditModule } from './audit/audit.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { FeedModule } from './feed/feed.module.js';
import { ForYouModule } from './for-you/for-you.module.js';
import { ImportModule } from './import/import.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { InstanceModule } from './instance/instance.module.js';
import { InteractionsModule } from './interactions/interactions.module.js';
import { IdentitiesModule } from './auth/providers/identities.module.js';
import { MediaModule } from './media/media.module.js';
import { HostsModule } from './platform/hosts/hosts.module.js';
import { HttpModule } from './platform/http/http.module.js';
import { RateLimitModule } from './platform/rate-limit/rate-limit.module.js';
import { IdempotencyModule } from './platform/idempotency/idempotency.module.js';
import { JobsModule } from './platform/jobs/jobs.module.js';
import { KafkaModule } from './integrations/kafka/kafka.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { ModerationModule } from './moderation/moderation.module.js';
import { IndexCheckModule } from './index-check.module.js';
import { MongoModule } from './platform/mongo/mongo.module.js';
import { RedisModule } from './platform/redis/redis.module.js';
import { MailModule } from './platform/mail/mail.module.js';
import { OutgoingModule } from './platform/safe-http/outgoing.module.js';
import { MigrationsModule } from './platform/migrations/migrations.module.js';
import { MetricsModule } from './platform/metrics/metrics.module.js';
import { OpenCanvasModule } from './opencanvas/opencanvas.module.js';
import { PasskeysModule } from './auth/passkeys/passkeys.module.js';
import { PostsModule } from './posts/posts.module.js';
import { RankingModule } from './ranking/ranking.module.js';
import { ReportsModule } from './reports/reports.module.js';
import { RegistrationModule } from './registration/registration.module.js';
import { RecoveryModule } from './auth/recovery/recovery.module.js';
import { SecondFactorsModule } from './auth/second-factors/second-factors.module.js';
import { RulesModule } from './rules/rules.module.js';
import { RevisionsModule } from './revisions/revisions.module.js';
import { SearchModule } from './search/search.module.js';
import { EventsModule } from './platform/events/events.module.js';
import { WorkQueueModule } from './platform/work-queue/work-queue.module.js';
import { SiteModule } from './site/site.module.js';
import { SyndicationModule } from './syndication/syndication.module.js';
import { TagsModule } from './tags/tags.module.js';
import { ViewerModule } from './viewer/viewer.module.js';
import { ViewsModule } from './views/views.module.js';
import { UsersModule } from './users/users.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Lists all modules. */
@Module({})
export class AppModule {
  /** Also checks the database before the first write. */
  static serving(config: AppConfig, role: ProcessRole): DynamicModule {
    const { imports, ...rest } = AppModule.with(config, role);
    return { ...rest, imports: [IndexCheckModule, ...imports!] };
  }

  static with(config: AppConfig, role: ProcessRole): DynamicModule {
    return {
      module: AppModule,
      imports: [
        // platform
        ConfigModule.with(config),
        MongoModule,
        RedisModule,
        CpuPoolModule,
        HttpModule,
        RateLimitModule,
        IdempotencyModule,
        CacheModule,
        ClusterModule.with(role),
        JobsModule,
        EventsModule,
        WorkQueueModule,
        HostsModule,
        MigrationsModule,
        MailModule,
        OutgoingModule,
        BlobsModule,
        BackupModule,
        MetricsModule,
        // features
        FeedModule,
        ForYouModule,
        AuthModule,
        RecoveryModule,
        IdentitiesModule,
        SecondFactorsModule,
        PasskeysModule,
        ApiTokensModule,
        ExportsModule,
        ImportsModule,
        UsersModule,
        ModerationModule,
        RulesModule,
        RegistrationModule,
        AdminModule,
        InstanceModule,
        MediaModule,
        PostsModule,
        ViewsModule,
        RevisionsModule,
        BlocksModule,
        FollowsModule,
        TagsModule,
        RankingModule,
        AuditModule,
        CommentsModule,
        CollectionsModule,
        ReportsModule,
        ActionsModule,
        DraftsModule,
        InteractionsModule,
        ActivityModule,
        NotificationsModule,
        WebhooksModule,
        ViewerModule,
        SearchModule,
        SyndicationModule.with(config.site.isOn),
        SiteModule.with(config.site),
        ...OpenCanvasModule.at(config.opencanvas.path),
        ImportModule,
        // integrations
        KafkaModule,
      ],
    };
  }
}
