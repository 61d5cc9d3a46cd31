// Markdown to HTML, previews, words and searchable text, in the CPU pool.
import { Module } from '@nestjs/common';
import { PostRenderer } from './post-renderer.service.js';

@Module({ providers: [PostRenderer], exports: [PostRenderer] })
export class RenderingModule {}
