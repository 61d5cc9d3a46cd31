import { Injectable, type PipeTransform } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';

const ID_OR_SLUG = /^(?:.*-)?([0-9a-f]{24})$/s;

/** The same for the document, with the slugs that there are; any other text before the id is taken, too. */
export const POST_ADDRESS = { minLength: 24, maxLength: 105, pattern: '^([a-z0-9-]{1,80}-)?[0-9a-f]{24}$' };

/** The id in `<id>` or `<slug>-<id>`: the slug is for people, the id alone decides. */
export function postIdOf(idOrSlug: string): string | null {
  return ID_OR_SLUG.exec(idOrSlug)?.[1] ?? null;
}

@Injectable()
export class ParsePostIdPipe implements PipeTransform<unknown, ObjectId> {
  transform(value: unknown): ObjectId {
    const id = typeof value === 'string' ? postIdOf(value) : null;
    if (id !== null) return ObjectId.createFromHexString(id);
    throw new CodedError('invalid_id', 'The address of a post is its id (24 hex digits), or <slug>-<id>.', {
      fields: [{ field: 'idOrSlug', message: 'must end in 24 hex digits' }],
    });
  }
}
