import { IsIn } from 'class-validator';
import { EXAMPLE } from '../../common/examples.js';
import { PageQuery } from '../../platform/http/pagination/page.query.js';
import { IsTag } from '../../platform/http/validation/tags.decorator.js';
import { IsText, NullableField } from '../../platform/http/validation/text-rules.js';
import { TransformText } from '../../platform/http/validation/transform-text.decorator.js';
import { POST_TYPES, type PostType } from '../../posts/post-types.js';
import { LIST_SORTS } from '../../ranking/feed-list.js';
import { ANY_USERNAME_PATTERN, USERNAME_LENGTH } from '../../users/username.js';

export const FEED_SORTS = ['hot', 'latest', 'top', ...LIST_SORTS] as const;
export type FeedSort = (typeof FEED_SORTS)[number];

export const FEED_WINDOWS = ['day', 'week', 'month', 'year', 'all'] as const;
export type FeedWindow = (typeof FEED_WINDOWS)[number];

const lower = (text: string): string => text.toLowerCase();

export class FeedQuery extends PageQuery {
  @NullableField({
    enum: FEED_SORTS,
    default: 'hot',
    description:
      '`hot`: score, decaying with age; `latest`: newest first; `top`: most engagement within `window`; `rising`: most engagement an hour, of the last seven days; `discussed`: comments, decaying with age. The last two are lists of the first 1,000 posts, up to a ranking interval old.',
  })
  @IsIn(FEED_SORTS)
  sort: FeedSort = 'hot';

  @NullableField({ enum: FEED_WINDOWS, default: 'all', description: 'for `sort=top`: the maximum age of a post' })
  @IsIn(FEED_WINDOWS)
  window: FeedWindow = 'all';

  @NullableField({ description: 'posts with this tag', example: EXAMPLE.tag })
  @IsTag()
  tag?: string;

  @NullableField({ enum: POST_TYPES, description: 'posts of this type' })
  @IsIn(POST_TYPES)
  type?: PostType;

  @NullableField({ description: 'posts by this username', example: 'demo_writer' })
  @TransformText(16, lower)
  @IsText({ ...USERNAME_LENGTH, pattern: ANY_USERNAME_PATTERN, message: 'must be a username' })
  author?: string;
}

/** The parameters of a cached feed page with their defaults, in the order of the canonical key. */
export const FEED_QUERY_DEFAULTS = {
  sort: 'hot',
  window: 'all',
  tag: '',
  type: '',
  author: '',
  limit: '20',
  cursor: '',
};
