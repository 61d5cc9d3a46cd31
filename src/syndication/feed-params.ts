import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { namedValues } from '../common/named-values.js';
import { CodedError } from '../common/errors.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';

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
