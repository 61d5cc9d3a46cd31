import { Param, type PipeTransform, type Type } from '@nestjs/common';
import { ApiParam, type ApiParamOptions } from '@nestjs/swagger';
import { ParseObjectIdPipe } from '../validation/parse-object-id.pipe.js';
import { ApiProblems } from './api-problem.decorator.js';

/** Creates a decorator that reads, checks and describes an id in the path: `const PostId = IdParam({ … })`, `@PostId id: ObjectId`. */
export function IdParam(
  about: ApiParamOptions & { name: string },
  pipe: Type<PipeTransform> | PipeTransform = ParseObjectIdPipe,
): ParameterDecorator {
  return (target, key, index) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, key!)!;
    ApiParam(about)(target, key!, descriptor);
    ApiProblems('invalid_id')(target, key!, descriptor);
    Param(about.name, pipe)(target, key, index);
  };
}
