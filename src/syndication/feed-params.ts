import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { namedValues } from '../common/named-values.js';
import { EXAMPLE } from '../common/examples.js';
import { CodedError } from '../common/errors.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { TAG, TAG_MESSAGE, tagOf } from '../platform/http/validation/tags.decorator.js';

export const FEED_FORMATS = namedValues('FeedFormat', ['atom', 'rss', 'json']);
export type FeedFormat = (typeof FEED_FORMATS)[number];

export const FEED_SORTS = ['latest', 'hot', 'top'] as const;
export type FeedSort = (typeof FEED_SORTS)[number];

/** for example `latest.atom` */
export type FeedName = `${FeedSort}.${FeedFormat}`;
export const FEED_NAMES = FEED_SORTS.flatMap((sort) => FEED_FORMATS.map((format): FeedName => `${sort}.${format}`));

/** A path parameter with one of these values. Other values get 404. */
export function ParamOf(name: string, values: readonly string[]): ParameterDecorator {
  const schema = { type: 'string' as const, enum: [...values], example: values[0] };
  const pipe: PipeTransform<unknown, string> = {
    transform: (value) => {
      if (typeof value === 'string' && values.includes(value)) return value;
      throw new CodedError('not_found', `Not found: ${name} must be one of ${values.join(', ')}.`);
    },
  };
  return (target, key, index) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, key!)!;
    ApiParam({ name, schema })(target, key!, descriptor);
    ApiProblems('not_found')(target, key!, descriptor);
    Param(name, pipe)(target, key, index);
  };
}

const parseTag: PipeTransform<string, string> = {
  transform: (value) => {
    const tag = tagOf(value);
    if (tag !== null) return tag;
    throw new CodedError('invalid_input', `tag ${TAG_MESSAGE}.`, { fields: [{ field: 'tag', message: TAG_MESSAGE }] });
  },
};

/** A path parameter with a tag, in any case. */
export const TagParam: ParameterDecorator = (target, key, index) => {
  const descriptor = Object.getOwnPropertyDescriptor(target, key!)!;
  ApiParam({ name: 'tag', schema: { ...TAG, example: EXAMPLE.tag } })(target, key!, descriptor);
  ApiProblems('invalid_input')(target, key!, descriptor);
  Param('tag', parseTag)(target, key, index);
};
