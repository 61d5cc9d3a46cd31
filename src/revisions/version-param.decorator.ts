import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { CodedError } from '../common/errors.js';
import { ApiProblems } from '../platform/http/openapi/api-problem.decorator.js';
import { VERSION } from './revision.dto.js';

const PATTERN = /^[1-9]\d{0,8}$/;

const parseVersion: PipeTransform<unknown, number> = {
  transform: (value) => {
    if (typeof value === 'string' && PATTERN.test(value)) return Number(value);
    const fields = [{ field: 'version', message: 'must be a whole number from 1 on' }];
    throw new CodedError('invalid_input', 'The version must be a whole number.', { fields });
  },
};

/** path parameter with a version */
export function VersionParam(): ParameterDecorator {
  return (target, key, index) => {
    const descriptor = Object.getOwnPropertyDescriptor(target, key!)!;
    const description = 'from the list of versions';
    ApiParam({ name: 'version', description, schema: { ...VERSION, example: 3 } })(target, key!, descriptor);
    ApiProblems('invalid_input')(target, key!, descriptor);
    Param('version', parseVersion)(target, key, index);
  };
}
