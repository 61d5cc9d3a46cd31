// Blocks and mutes between accounts, and filters by phrase. BlocksService and ContentFiltersService write and list them. BlockLookupService serves
// notifications, and the batches of follows, votes and comments, which refuse blocked pairs in their own transactions. ViewerFiltersService serves
// lists, which omit content of blocked and muted accounts, hidden posts, and texts with a phrase. A hook of follows ends the
// follows of a blocked pair. The work queue deletes the rows of a deleted account.
import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { EventsModule } from '../platform/events/events.module.js';
import { UsersModule } from '../users/users.module.js';
import { BlockLookupService } from './block-lookup.service.js';
import { Block, BlockSchema, Mute, MuteSchema } from './block.schema.js';
import { BlocksController } from './blocks.controller.js';
import { BlocksService } from './blocks.service.js';
import { BlocksSubscriber } from './blocks.subscriber.js';
import { ContentFilter, ContentFilterSchema } from './content-filter.schema.js';
import { ContentFiltersController } from './content-filters.controller.js';
import { ContentFiltersService } from './content-filters.service.js';
import { ViewerFiltersService } from './viewer-filters.service.js';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Block.name, schema: BlockSchema },
      { name: Mute.name, schema: MuteSchema },
      { name: ContentFilter.name, schema: ContentFilterSchema },
    ]),
    UsersModule,
    EventsModule,
  ],
  controllers: [BlocksController, ContentFiltersController],
  providers: [BlocksService, BlockLookupService, BlocksSubscriber, ContentFiltersService, ViewerFiltersService],
  exports: [BlockLookupService, ContentFiltersService, ViewerFiltersService],
})
export class BlocksModule {}
