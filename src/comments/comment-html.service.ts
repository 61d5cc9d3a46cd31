import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { ObjectId } from 'mongodb';
import type { Model } from 'mongoose';
import type { Viewer } from '../platform/access/viewer.js';
import { Comment, type CommentHtml } from './comment.schema.js';
import { CommentRendererService } from './comment-renderer.service.js';
import { CommentsService } from './comments.service.js';
import type { CommentHtmlDto } from './dto/comment.dto.js';

/** Increment this with every change of the renderer, so that stored HTML is rendered again. */
const RENDERER = 2;

type TextRow = Pick<Comment, '_id' | 'content' | 'updatedAt' | 'html'>;

/** HTML of comments. The first read of each version renders it and stores it with the comment. */
@Injectable()
export class CommentHtmlService {
  private readonly logger = new Logger('CommentHtml');

  constructor(
    private readonly comments: CommentsService,
    private readonly renderer: CommentRendererService,
    @InjectModel(Comment.name) private readonly rows: Model<Comment>,
  ) {}

  /** Returns the HTML of readable comments in the order of `ids`. Omits deleted comments. @throws CodedError `overloaded` */
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
    const texts = (await this.renderer.render(rows.map(({ content }) => content))).map(({ html }) => html);
    await this.store(rows, texts);
    return rows.map(({ _id }, at) => [_id.toHexString(), texts[at]!]);
  }

  /** Stores the HTML of comments that have not been edited or deleted since the read. Never rejects. */
  private async store(rows: TextRow[], texts: string[]): Promise<void> {
    const changes = rows.map(({ _id, updatedAt }, at) => {
      const html: CommentHtml = { renderer: RENDERER, of: updatedAt, text: texts[at]! };
      return { updateOne: { filter: { _id, updatedAt, deletedAt: null }, update: { $set: { html } } } };
    });
    try {
      await this.rows.bulkWrite(changes, { ordered: false });
    } catch (error) {
      // The next read renders and stores the HTML again.
      this.logger.warn(`The HTML of comments is not stored: ${String(error)}`);
    }
  }
}

function isCurrent(html: CommentHtml | undefined, { updatedAt }: TextRow): boolean {
  return html !== undefined && html.renderer >= RENDERER && html.of.getTime() === updatedAt.getTime();
}
