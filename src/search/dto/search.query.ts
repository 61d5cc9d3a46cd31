import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { PageQuery, IsLimit } from '../../platform/http/pagination/page.query.js';
import { IsTag } from '../../platform/http/validation/tags.decorator.js';
import { IsText, PUBLISHED, NullableField } from '../../platform/http/validation/text-rules.js';
import { TransformText, trimAndCompose } from '../../platform/http/validation/transform-text.decorator.js';
import { POST_TYPES, type PostType } from '../../posts/post-types.js';
import { ANY_USERNAME_PATTERN, USERNAME_LENGTH } from '../../users/username.js';
import { KINDS } from '../search-index.js';

const MAX_QUERY = 100;
const MAX_SUGGESTIONS = 20;
const DEFAULT_SUGGESTIONS = 8;

const SEARCH_KINDS = ['all', ...KINDS, 'comments'] as const;
const SEARCH_SORTS = ['relevance', 'latest'] as const;

const lower = (text: string): string => text.toLowerCase();

/** Requires a search text with at least one letter or digit. */
function IsSearchText(): PropertyDecorator {
  return IsText({
    min: 1,
    max: MAX_QUERY,
    pattern: /[\p{L}\p{N}]/u,
    published: PUBLISHED.word,
    message: `must be 1 to ${MAX_QUERY} characters, one of them a letter or a digit`,
  });
}

export class SearchQuery extends PageQuery {
  @ApiProperty({
    description:
      'words, of which the last may be unfinished; `"several words"` in this order; at most the first twelve count',
    example: 'analytical eng',
  })
  @TransformText(MAX_QUERY, trimAndCompose)
  @IsSearchText()
  q!: string;

  @NullableField({
    enum: SEARCH_KINDS,
    default: 'all',
    description:
      '`all`: the best five posts, users and tags, without further pages; `comments`: newest first, on servers with `SEARCH_COMMENTS=on`',
  })
  @IsIn(SEARCH_KINDS)
  kind: (typeof SEARCH_KINDS)[number] = 'all';

  @NullableField({ enum: POST_TYPES, description: 'posts of this type' })
  @IsIn(POST_TYPES)
  type?: PostType;

  @NullableField({ description: 'posts with this tag', example: EXAMPLE.tag })
  @IsTag()
  tag?: string;

  @NullableField({ description: 'posts by this username', example: 'demo_writer' })
  @TransformText(16, lower)
  @IsText({ ...USERNAME_LENGTH, pattern: ANY_USERNAME_PATTERN, message: 'must be a username' })
  author?: string;

  @NullableField({
    enum: SEARCH_SORTS,
    default: 'relevance',
    description:
      'of posts; `relevance`: the best 200, by words, engagement and age; `latest`: all of them, newest first',
  })
  @IsIn(SEARCH_SORTS)
  sort: (typeof SEARCH_SORTS)[number] = 'relevance';
}

/** parameters of a cached response with their defaults, in the order of its key */
export const SEARCH_QUERY_DEFAULTS = {
  q: '',
  kind: 'all',
  type: '',
  tag: '',
  author: '',
  sort: 'relevance',
  limit: '20',
  cursor: '',
};

export class SuggestQuery {
  @ApiProperty({ description: 'the text that the user has typed', example: 'analytical eng' })
  @TransformText(MAX_QUERY, trimAndCompose)
  @IsSearchText()
  q!: string;

  @ApiPropertyOptional({ default: DEFAULT_SUGGESTIONS, description: 'of each kind', example: 5 })
  @IsLimit(MAX_SUGGESTIONS)
  limit: number = DEFAULT_SUGGESTIONS;
}

export const SUGGEST_QUERY_DEFAULTS = { q: '', limit: String(DEFAULT_SUGGESTIONS) };
