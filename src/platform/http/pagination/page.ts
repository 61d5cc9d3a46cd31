import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../openapi/response-schemas.js';
import { MAX_LIMIT } from './page.query.js';

export type Page<T> = { data: T[]; page: { nextCursor: string | null } };

/**
 * Cuts a result of up to `limit + 1` rows to a page.
 * @param cursorOf returns the cursor that continues after a row
 */
export function pageOf<Row, T>(
  rows: Row[],
  limit: number,
  toJson: (row: Row) => T,
  cursorOf: (row: Row) => string,
): Page<T> {
  const hasMore = rows.length > limit;
  const data = (hasMore ? rows.slice(0, limit) : rows).map(toJson);
  return { data, page: { nextCursor: hasMore ? cursorOf(rows[limit - 1]!) : null } };
}

/** The pagination state of a list. */
export class PageInfo {
  @ApiProperty({
    ...RESPONSE_SCHEMAS.cursor,
    nullable: true,
    description: 'null at the end of the list',
    example: null,
  })
  nextCursor!: string | null;
}

/** The OpenAPI class of a page of `T`: `class PostPage extends PageOf(PostCardDto) {}`. */
export function PageOf<T>(item: Type<T>): Type<Page<T>> {
  class PageDto {
    @ApiProperty({ type: [item], maxItems: MAX_LIMIT })
    data!: T[];

    @ApiProperty()
    page!: PageInfo;
  }
  return PageDto;
}
