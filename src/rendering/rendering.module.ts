// Markdown to HTML, previews, words, mentions and searchable text, in the CPU pool.
import { Module } from '@nestjs/common';
import { CpuPoolModule } from '../platform/cpu-pool/cpu-pool.module.js';
import { UsersModule } from '../users/users.module.js';
import { MentionLookupService } from './mention-lookup.service.js';
import { PostRendererService } from './post-renderer.service.js';

@Module({
  imports: [UsersModule, CpuPoolModule],
  providers: [MentionLookupService, PostRendererService],
  exports: [MentionLookupService, PostRendererService],
})
export class RenderingModule {}
