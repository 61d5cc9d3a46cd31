import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../../../common/errors.js';

export const OBJECT_ID_PATTERN = /^[0-9a-f]{24}$/;

/** Converts 24 lowercase hex digits to an ObjectId. Throws a 400 that names the parameter for any other value. */
@Injectable()
export class ParseObjectIdPipe implements PipeTransform<unknown, ObjectId> {
  transform(value: unknown, metadata: ArgumentMetadata): ObjectId {
    if (typeof value === 'string' && OBJECT_ID_PATTERN.test(value)) return ObjectId.createFromHexString(value);
    const field = metadata.data ?? 'id';
    throw new CodedError('invalid_id', `${field} must be 24 lowercase hex digits.`, {
      fields: [{ field, message: 'must be 24 hex digits in lower case' }],
    });
  }
}
