import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsArray, IsBoolean, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { FILES_PATH } from '../common/own-files.js';
import type { NumberedPage } from '../platform/http/pagination/numbered-page.js';
import { ToStrictInt } from '../platform/http/pagination/page.query.js';
import { IsIdList } from '../platform/http/validation/ids.query.js';
import { IsLine, IsTitle } from '../platform/http/validation/line.decorator.js';
import { MAX_TAGS } from '../posts/labels.dto.js';
import { tagFrom } from '../platform/http/validation/tags.decorator.js';
import { AcceptsUnknownFields } from '../platform/http/validation/accepts-unknown-fields.decorator.js';
import { IsId, IsText, NOT_BLANK, NullableField } from '../platform/http/validation/text-rules.js';
import { IsImageUrl } from '../platform/http/validation/web-url.decorator.js';
import { MAX_CONTENT, MAX_TITLE } from '../posts/post-rules.js';
import { POST_TYPES, type PostType } from '../posts/post-types.js';

const MAX_PAGE_LIMIT = 100;
const MAX_COMMENT = 1_000;
const MAX_COLLECTION_TITLE = 100;
const MAX_DESCRIPTION = 500;
const MAX_SEARCH = 100;
const MAX_GIVEN_TAGS = 50;

const PAGE_RULES = [IsOptional(), ToStrictInt(), IsInt(), Min(1)];
const VOTES = ['like', 'dislike'] as const;

function Page(): PropertyDecorator {
  return (target, key) => PAGE_RULES.forEach((rule) => rule(target, key));
}

/** Converts an empty text and the default images of the client's host to null. */
function IsThumbnail(): PropertyDecorator {
  const isNone = (value: unknown): boolean =>
    value === '' || (typeof value === 'string' && value.startsWith('/') && !value.startsWith(`${FILES_PATH}/`));
  return (target, key) => {
    IsOptional()(target, key);
    IsImageUrl()(target, key);
    Transform(({ value }: { value: unknown }) => (isNone(value) ? null : value))(target, key);
  };
}

/** Accepts the first five tags, each once, converted to our format. */
function IsTags(): PropertyDecorator {
  const tagsIn = (values: unknown[]): string[] => {
    const tags = values.slice(0, MAX_GIVEN_TAGS).map((value) => (typeof value === 'string' ? tagFrom(value) : null));
    return [...new Set(tags.filter((tag) => tag !== null))].slice(0, MAX_TAGS);
  };
  return (target, key) => {
    IsOptional()(target, key);
    IsArray()(target, key);
    Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? tagsIn(value) : value))(target, key);
  };
}

@AcceptsUnknownFields()
export class PagesQuery implements NumberedPage {
  @ApiPropertyOptional({ default: 1 })
  @Page()
  page: number = 1;

  @ApiPropertyOptional({ default: 20 })
  @Page()
  @Max(MAX_PAGE_LIMIT)
  limit: number = 20;
}

@AcceptsUnknownFields()
export class ShortPagesQuery implements NumberedPage {
  @ApiPropertyOptional({ default: 1 })
  @Page()
  page: number = 1;

  @ApiPropertyOptional({ default: 10 })
  @Page()
  @Max(MAX_PAGE_LIMIT)
  limit: number = 10;
}

@AcceptsUnknownFields()
export class ByIdsQuery {
  @ApiProperty({ type: [String], description: 'ids, separated by commas' })
  @IsIdList()
  ids!: string[];
}

@AcceptsUnknownFields()
export class PostIdsBody {
  @ApiProperty({ type: [String], description: 'ids, separated by commas' })
  @IsIdList()
  postIds!: string[];
}

@AcceptsUnknownFields()
export class PostIdBody {
  @ApiProperty()
  @IsId()
  postId!: string;
}

@AcceptsUnknownFields()
export class VotePostBody extends PostIdBody {
  @ApiProperty({ enum: VOTES })
  @IsIn(VOTES)
  vote!: (typeof VOTES)[number];
}

@AcceptsUnknownFields()
export class VoteCollectionBody {
  @ApiProperty({ enum: VOTES })
  @IsIn(VOTES)
  vote!: (typeof VOTES)[number];
}

@AcceptsUnknownFields()
export class SavePostBody extends PostIdBody {
  @ApiProperty()
  @IsTitle(MAX_TITLE)
  title!: string;

  @ApiProperty({ description: 'Markdown' })
  @IsText({ min: 1, max: MAX_CONTENT, pattern: NOT_BLANK, message: `must be 1 to ${MAX_CONTENT} characters` })
  content!: string;

  @ApiPropertyOptional({ type: [String] })
  @IsTags()
  tags?: string[];

  @ApiPropertyOptional({ enum: POST_TYPES })
  @Transform(({ value }: { value: unknown }) => (POST_TYPES.includes(value as PostType) ? value : 'written'))
  @IsOptional()
  @IsIn(POST_TYPES)
  type?: PostType;

  @NullableField()
  @IsBoolean()
  isPublic?: boolean;

  @ApiPropertyOptional({ type: String })
  @IsThumbnail()
  thumbnailUrl?: string | null;
}

class ContentBody {
  @ApiProperty()
  @IsText({ min: 1, max: MAX_COMMENT, pattern: NOT_BLANK, message: `must be 1 to ${MAX_COMMENT} characters` })
  content!: string;
}

@AcceptsUnknownFields()
export class CommentBody extends ContentBody {
  @ApiProperty()
  @IsId()
  postId!: string;
}

@AcceptsUnknownFields()
export class ReplyBody extends CommentBody {
  @ApiProperty()
  @IsId()
  parentId!: string;
}

@AcceptsUnknownFields()
export class EditCommentBody extends ContentBody {
  @ApiProperty()
  @IsId()
  commentId!: string;
}

@AcceptsUnknownFields()
export class CommentIdBody {
  @ApiProperty()
  @IsId()
  commentId!: string;
}

class CollectionFields {
  @NullableField()
  @IsLine(MAX_DESCRIPTION)
  description?: string;

  @ApiPropertyOptional({ type: String })
  @IsThumbnail()
  thumbnailUrl?: string | null;

  @ApiPropertyOptional({ type: [String] })
  @IsTags()
  tags?: string[];

  @NullableField()
  @IsBoolean()
  isPrivate?: boolean;
}

@AcceptsUnknownFields()
export class CreateCollectionBody extends CollectionFields {
  @ApiProperty()
  @IsTitle(MAX_COLLECTION_TITLE)
  title!: string;
}

@AcceptsUnknownFields()
export class UpdateCollectionBody extends CollectionFields {
  @NullableField()
  @IsTitle(MAX_COLLECTION_TITLE)
  title?: string;
}

@AcceptsUnknownFields()
export class FindQuery {
  @ApiProperty()
  @IsText({ min: 1, max: MAX_SEARCH, message: `must be 1 to ${MAX_SEARCH} characters` })
  q!: string;

  @NullableField({ enum: ['all', 'users', 'posts'] })
  @IsIn(['all', 'users', 'posts'])
  type: 'all' | 'users' | 'posts' = 'all';
}
