import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { CodedError } from '../../../common/errors.js';
import { EXAMPLE } from '../../../common/examples.js';
import { TAG, TAG_MESSAGE, tagOf } from '../validation/tags.decorator.js';
import { ApiProblems } from './api-problem.decorator.js';

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
