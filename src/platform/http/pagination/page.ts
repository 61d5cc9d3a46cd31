import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../openapi/response-schemas.js';
import { MAX_LIMIT } from './page.query.js';

export type Page<T> = { data: T[]; page: { nextCursor: string | null } };

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
