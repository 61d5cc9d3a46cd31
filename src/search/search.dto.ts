import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_SCHEMAS } from '../platform/http/openapi/response-schemas.js';
import { PageInfo } from '../platform/http/pagination/page.js';
import { MAX_LIMIT } from '../platform/http/pagination/page.query.js';
import { findTerms, type Term } from '../common/words.js';
import { CommentWithPostDto } from '../comments/comment-with-post.dto.js';
import { PostCardDto } from '../posts/card/post-card.dto.js';
import { POST_TYPES, type PostType } from '../posts/post-types.js';
import { AuthorDto } from '../users/author.dto.js';
import { PublicUserDto } from '../users/user.dto.js';
import { MAX_CANDIDATES } from './search-index.js';

/** maximum number of ranges per text */
const MAX_HIGHLIGHTS = 50;
const MAX_TEXT = 1_000;
const TAG_NAME = { type: String, minLength: 1, maxLength: 32 } as const;
const WORDS = { type: 'string', minLength: 1, maxLength: MAX_TEXT } as const;
/** in the longest comment */
const MAX_PLACE = 20_000;
const PLACE = { type: 'integer', format: 'int32', minimum: 0, maximum: MAX_PLACE } as const;

class RangeDto {
  @ApiProperty({ ...PLACE, example: 13 })
  start!: number;

  @ApiProperty({ ...PLACE, description: 'index of the first character after the range', example: 23 })
  end!: number;
}

class HighlightsDto {
  @ApiProperty({ type: [RangeDto], maxItems: MAX_HIGHLIGHTS })
  title!: RangeDto[];

  @ApiProperty({ type: [RangeDto], maxItems: MAX_HIGHLIGHTS })
  subtitle!: RangeDto[];

  @ApiProperty({ type: [RangeDto], maxItems: MAX_HIGHLIGHTS })
  contentPreview!: RangeDto[];
}

export class FoundPostDto extends PostCardDto {
  @ApiProperty({ description: 'positions of the found words, in UTF-16 units as in JavaScript' })
  highlights!: HighlightsDto;
}

export function toFoundPost(card: PostCardDto, terms: Term[]): FoundPostDto {
  const find = (text: string) => findTerms(text, terms, MAX_HIGHLIGHTS);
  const { title, subtitle, contentPreview } = card;
  const highlights = { title: find(title), subtitle: find(subtitle ?? ''), contentPreview: find(contentPreview) };
  return { ...card, highlights };
}

class CommentHighlightsDto {
  @ApiProperty({ type: [RangeDto], maxItems: MAX_HIGHLIGHTS })
  content!: RangeDto[];
}

export class FoundCommentDto extends CommentWithPostDto {
  @ApiProperty({ description: 'positions of the found words, as for posts' })
  highlights!: CommentHighlightsDto;
}

export function toFoundComment(comment: CommentWithPostDto, terms: Term[]): FoundCommentDto {
  return { ...comment, highlights: { content: findTerms(comment.content ?? '', terms, MAX_HIGHLIGHTS) } };
}

export class FoundTagDto {
  @ApiProperty({ ...TAG_NAME, example: 'poetry' })
  tag!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.count, description: 'number of public posts with the tag', example: 31 })
  postsCount!: number;
}

class FoundDto {
  @ApiProperty({ type: [FoundPostDto], maxItems: MAX_LIMIT })
  posts!: FoundPostDto[];

  @ApiProperty({ type: [PublicUserDto], maxItems: MAX_LIMIT })
  users!: PublicUserDto[];

  @ApiProperty({ type: [FoundTagDto], maxItems: MAX_LIMIT })
  tags!: FoundTagDto[];

  @ApiProperty({ type: [FoundCommentDto], maxItems: MAX_LIMIT, description: 'of `kind=comments` only' })
  comments!: FoundCommentDto[];
}

class TypeFacetDto {
  @ApiProperty({ enum: POST_TYPES, example: 'article' })
  type!: PostType;

  @ApiProperty({ ...PLACE, maximum: MAX_CANDIDATES, example: 12 })
  count!: number;
}

class FacetsDto {
  @ApiProperty({
    type: [TypeFacetDto],
    maxItems: POST_TYPES.length,
    description: `of the first ${MAX_CANDIDATES} posts, most frequent first`,
  })
  types!: TypeFacetDto[];
}

export class SearchPageDto {
  @ApiProperty()
  data!: FoundDto;

  @ApiProperty()
  page!: PageInfo;

  @ApiProperty()
  facets!: FacetsDto;

  @ApiProperty({
    ...WORDS,
    nullable: true,
    description: 'the corrected query, if nothing matched the original words',
    example: null,
  })
  correctedTo!: string | null;

  @ApiProperty({
    enum: ['all', 'any'],
    description: '`all`: posts contain all words; `any`: no post has all words, these have some of them',
    example: 'all',
  })
  matches!: 'all' | 'any';
}

class SuggestedDto {
  @ApiProperty({ type: [AuthorDto], maxItems: 20 })
  users!: AuthorDto[];

  @ApiProperty({ type: [FoundTagDto], maxItems: 20 })
  tags!: FoundTagDto[];

  @ApiProperty({
    type: 'array',
    items: WORDS,
    maxItems: 20,
    description: 'the query with its last word completed',
    example: ['analytical engine'],
  })
  words!: string[];
}

export class SuggestionsDto {
  @ApiProperty()
  data!: SuggestedDto;
}
