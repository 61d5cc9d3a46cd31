// Reports of posts, comments, collections and accounts, and the cases that moderators decide. ReportsService adds a report to the case of
// its target in one transaction, also for rules (CONTENT_FLAGGED); CasesService lists, claims and closes cases. An action on the target
// or its owner closes the case in its transaction (CasesService.closeActed); the work queue closes the cases of deleted content. An opened
// case notifies moderators.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuditModule } from '../audit/audit.module.js';
import { DailyCounts } from '../audit/daily-counts.js';
import { ActivityModule } from '../activity/activity.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { MediaModule } from '../media/media.module.js';
import { ModerationModule } from '../moderation/moderation.module.js';
import { PostsModule } from '../posts/posts.module.js';
import { RenderingModule } from '../rendering/rendering.module.js';
import { UsersModule } from '../users/users.module.js';
import { CasesController } from './cases.controller.js';
import { CasesService } from './cases.service.js';
import { countReports, firstActionSeconds } from './daily-counts.js';
import { ReportTargetsService } from './report-targets.service.js';
import { Report, ReportCase, ReportCaseSchema, ReportSchema } from './report.schema.js';
import { ReportedHtmlService } from './reported-html.service.js';
import { ReportsController } from './reports.controller.js';
import { ReportsService } from './reports.service.js';
import { ReportsSubscriber } from './reports.subscriber.js';
import { TargetSummariesService } from './target-summaries.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Report.name, schema: ReportSchema },
      { name: ReportCase.name, schema: ReportCaseSchema },
    ]),
    ActivityModule,
    AuditModule,
    CollectionsModule,
    CommentsModule,
    MediaModule,
    ModerationModule,
    PostsModule,
    RenderingModule,
    UsersModule,
  ],
  controllers: [ReportsController, CasesController],
  providers: [
    ReportsService,
    CasesService,
    ReportTargetsService,
    ReportedHtmlService,
    TargetSummariesService,
    ReportsSubscriber,
  ],
  exports: [ReportsService, CasesService, TargetSummariesService],
})
export class ReportsModule {
  constructor(days: DailyCounts) {
    days.add('reports', countReports);
    days.add('firstActionSeconds', firstActionSeconds);
  }
}
