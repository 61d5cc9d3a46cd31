import { Injectable, type PipeTransform } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { POST_ADDRESS, postIdOf } from '../posts/parse-post-id.pipe.js';

/** For `@ApiParam`: as the address of a post. */
export const COLLECTION_ADDRESS = {
  name: 'idOrSlug',
  description: '`<id>` or `<slug>-<id>`; the id alone decides',
  ...POST_ADDRESS,
  example: 'looms-and-engines-6650c3a2f1d2b3c4d5e6f70a',
};

@Injectable()
export class ParseCollectionIdPipe implements PipeTransform<unknown, ObjectId> {
  transform(value: unknown): ObjectId {
    const id = typeof value === 'string' ? postIdOf(value) : null;
    if (id !== null) return ObjectId.createFromHexString(id);
    throw new CodedError('invalid_id', 'The address of a collection is its id (24 hex digits), or <slug>-<id>.', {
      fields: [{ field: 'idOrSlug', message: 'must end in 24 hex digits' }],
    });
  }
}
