import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import { CodedError } from '../common/errors.js';
import type { Viewer } from '../platform/auth/viewer.js';
import { CpuPool } from '../platform/cpu-pool/cpu-pool.js';
import type { CpuTask } from '../platform/cpu-pool/cpu-task.js';
import { Comment, type CommentHtml } from './comment.schema.js';
import { CommentsService } from './comments.service.js';
import type { CommentHtmlDto } from './dto/comment.dto.js';

/** Increment with every change of the renderer: stored HTML of an earlier version is rendered again. */
const RENDERER = 1;

const RENDER: CpuTask<typeof import('./comments.task.js').run> = {
  name: 'comments: html',
  module: new URL('./comments.task.js', import.meta.url),
  limitMs: 1_000,
};

type TextRow = Pick<Comment, '_id' | 'content' | 'updatedAt' | 'html'>;

/** HTML of comments, rendered by the first read of each version and stored with the comment. */
@Injectable()
export class CommentHtmlService {
  private readonly logger = new Logger('CommentHtml');

  constructor(
    private readonly comments: CommentsService,
    private readonly pool: CpuPool,
    @InjectModel(Comment.name) private readonly rows: Model<Comment>,
  ) {}

  /** The HTML of comments that the viewer may see and that are not deleted, in the order of `ids`. @throws CodedError `overloaded` */
  async findByIds(ids: readonly ObjectId[], viewer: Viewer | null): Promise<CommentHtmlDto[]> {
    const rows = (await this.comments.findReadable(ids, viewer)).filter(({ deletedAt }) => deletedAt === null);
    const missing = rows.filter((row) => !isCurrent(row.html, row));
    const rendered = new Map(await this.render(missing));
    return rows.map((row) => {
      const id = row._id.toHexString();
      return { id, html: rendered.get(id) ?? row.html!.text };
    });
  }

  private async render(rows: TextRow[]): Promise<[id: string, html: string][]> {
    if (rows.length === 0) return [];
    const texts = await this.renderAll(rows.map(({ content }) => content));
    await this.store(rows, texts);
    return rows.map(({ _id }, at) => [_id.toHexString(), texts[at]!]);
  }

  /** A text that takes too long is returned unrendered; the other texts of its batch are rendered. */
  private async renderAll(texts: string[]): Promise<string[]> {
    try {
      return await this.pool.run(RENDER, texts, null);
    } catch (error) {
      if (error instanceof CodedError) throw error;
      if (texts.length > 1) return (await Promise.all(texts.map((text) => this.renderAll([text])))).flat();
      this.logger.warn(`A comment is shown as it was written: ${String(error)}`);
      return texts.map(escaped);
    }
  }

  /** Stores HTML only if the text is unchanged and not deleted. */
  private async store(rows: TextRow[], texts: string[]): Promise<void> {
    const changes = rows.map(({ _id, updatedAt }, at) => {
      const html: CommentHtml = { renderer: RENDERER, of: updatedAt, text: texts[at]! };
      return { updateOne: { filter: { _id, updatedAt, deletedAt: null }, update: { $set: { html } } } };
    });
    try {
      await this.rows.bulkWrite(changes, { ordered: false });
    } catch (error) {
      // the next reader stores it
      this.logger.warn(`The HTML of comments is not stored: ${String(error)}`);
    }
  }
}

function isCurrent(html: CommentHtml | undefined, { updatedAt }: TextRow): boolean {
  return html !== undefined && html.renderer >= RENDERER && html.of.getTime() === updatedAt.getTime();
}

function escaped(text: string): string {
  const safe = text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
  return `<p>${safe.replace(/\r\n?|\n/g, '<br>\n')}</p>`;
}
