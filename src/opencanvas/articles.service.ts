import { Injectable } from '@nestjs/common';
import { CodedError } from '../common/errors.js';
import { type FeedPage, FeedService } from '../feed/feed.service.js';
import type { ArticlesQuery } from './articles.dto.js';
import { serializeOpenCanvasCards } from './card-json.js';
import type { HandlerResult } from './envelope.js';

const INVALID_CURSOR_CODES = ['invalid_cursor', 'cursor_expired'];

/** The hot feed in the response format of OpenCanvas. */
@Injectable()
export class ArticlesService {
  constructor(private readonly feed: FeedService) {}

  /** Returns the complete response body, so that the response cache can store its bytes. */
  async list(query: ArticlesQuery): Promise<Buffer> {
    const { cards, count, nextCursor } = await this.page(query);
    const end = { nextCursor, hasMore: nextCursor !== null };
    return Buffer.concat([
      Buffer.from(`{"success":true,"results":${count},"data":[`),
      cards,
      Buffer.from(`],${JSON.stringify(end).slice(1)}`),
    ]);
  }

  /** Returns the response format of older clients. */
  async listForVisitors(query: ArticlesQuery): Promise<HandlerResult> {
    const { cards, nextCursor } = await this.page(query);
    return { posts: JSON.parse(`[${cards.toString()}]`) as unknown[], hasMore: nextCursor !== null, nextCursor };
  }

  /** Returns the first page for a cursor of an OpenCanvas server or of a replaced ranking. */
  private async page({ limit, cursor }: ArticlesQuery): Promise<FeedPage> {
    const read = (from: string | undefined): Promise<FeedPage> => {
      const start = from === undefined || from === '' ? {} : { cursor: from };
      return this.feed.read({ sort: 'hot', window: 'all', limit, ...start }, serializeOpenCanvasCards);
    };
    try {
      return await read(cursor);
    } catch (error) {
      if (error instanceof CodedError && INVALID_CURSOR_CODES.includes(error.code)) return read(undefined);
      throw error;
    }
  }
}
